import type { CodeApprovalRequest } from '@fenced/core'
import { shortened, visibleName } from '@fenced/errors/text'

interface ProgramChoiceProps {
  readonly blocks: CodeApprovalRequest['blocks']
  readonly chosen: readonly boolean[]
  readonly choose: (chosen: readonly boolean[]) => void
  readonly isReady: boolean
}

/** The programs of one question, each with what it begins with, to run only some of them. */
export function ProgramChoice({ blocks, chosen, choose, isReady }: ProgramChoiceProps) {
  return (
    <ol className="program-choice" aria-label="Programs of this question">
      {blocks.map(({ language, code }, index) => {
        const lines = code.replace(/\n$/, '').split('\n')
        const first = lines.find((line) => line.trim() !== '') ?? ''
        return (
          <li key={index}>
            <label>
              <input
                type="checkbox"
                checked={chosen[index] === true}
                disabled={!isReady}
                onChange={({ target }) => choose(chosen.with(index, target.checked))}
              />
              <span>
                {index + 1}. {visibleName(language)},{' '}
                {lines.length === 1 ? '1 line' : `${lines.length} lines`}
              </span>
              <code>{visibleName(shortened(first.trim(), 60))}</code>
            </label>
          </li>
        )
      })}
    </ol>
  )
}
