import { visibleCode } from '@fenced/errors/text'
import { type Hunk, hunksOf } from './changes.ts'

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', ' ': 'same' }

interface DiffViewProps {
  readonly before: string
  readonly after: string
  /** The changes, if they are known already. */
  readonly hunks?: readonly Hunk[]
}

/** What was changed, with three lines around it. */
export function DiffView({ before, after, hunks = hunksOf(before, after) }: DiffViewProps) {
  return (
    <section className="diff" aria-label="Changes" tabIndex={0}>
      {hunks.map(({ start, lines }) => (
        <div className="hunk" key={start}>
          {lines.map((line, index) => (
            <div key={index} className={kinds[line.charAt(0)]}>
              <span className="sign" role="img" aria-label={kinds[line.charAt(0)]}>
                {line.charAt(0)}
              </span>
              {visibleCode(line.slice(1))}
            </div>
          ))}
        </div>
      ))}
    </section>
  )
}
