import { visibleName } from '@fenced/errors/text'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { repairOf } from './changes.ts'
import { CodeView } from './code-view.tsx'
import { DiffView } from './diff-view.tsx'
import { useEdit } from './edit-context.ts'
import type { BlockView, RunView } from './run-view.ts'

const Editor = lazy(() => import('./editor.tsx'))

/** A longer program is folded to its beginning after it was decided about, in lines. */
const longestUnfolded = 24
const foldedLines = 14

interface ProgramViewProps {
  readonly block: BlockView
  readonly run: RunView | undefined
  readonly isAsked: boolean
  readonly errorLine: number | undefined
}

/** A program: its editor while it is edited, its changes where it repairs an earlier one, or its lines. */
export function ProgramView({ block, run, isAsked, errorLine }: ProgramViewProps) {
  const { language, code } = block.block
  const edit = useEdit(run?.id)
  const index = run?.blocks.indexOf(block) ?? -1
  const earlier = block.earlier?.block.code
  const repair = useMemo(() => (earlier === undefined ? undefined : repairOf(earlier, code)), [earlier, code])
  const [isWhole, setWhole] = useState(false)
  if (edit !== undefined && index !== -1) {
    const edited = edit.codes[index] ?? code
    return (
      <div className="edit">
        <Suspense fallback={<p className="note">The editor is loading.</p>}>
          <Editor
            code={code}
            language={language}
            label={`Program ${index + 1} (${visibleName(language)})`}
            takesFocus={index === 0}
            onChange={(next) => edit.change(index, next)}
          />
        </Suspense>
        {edited !== code && <DiffView before={code} after={edited} />}
      </div>
    )
  }
  if (repair !== undefined && earlier !== undefined && !isWhole)
    return (
      <div className="repair">
        <p className="note">
          Changes to the earlier version of this program.
          <Button label="Show the whole program" className="quiet" onClick={() => setWhole(true)} />
        </p>
        <DiffView before={earlier} after={code} hunks={repair} />
      </div>
    )
  return (
    <>
      {repair !== undefined && (
        <p className="note whole">
          The whole program.
          <Button label="Show only the changes" className="quiet" onClick={() => setWhole(false)} />
        </p>
      )}
      <FoldedCode code={code} language={language} errorLine={errorLine} isWhole={isAsked} />
    </>
  )
}

interface FoldedCodeProps {
  readonly code: string
  readonly language: string
  readonly errorLine: number | undefined
  /** Whether nothing is folded: a person decides about the whole program. */
  readonly isWhole: boolean
}

function FoldedCode({ code, language, errorLine, isWhole }: FoldedCodeProps) {
  const [isOpen, setOpen] = useState(false)
  const lines = code.replace(/\n$/, '').split('\n')
  const isLong = !isWhole && lines.length > longestUnfolded
  // A line with an error is never folded away.
  const isFolded = isLong && !isOpen && (errorLine === undefined || errorLine <= foldedLines)
  return (
    <>
      <CodeView
        code={isFolded ? lines.slice(0, foldedLines).join('\n') : code}
        language={language}
        errorLine={errorLine}
      />
      {isLong && (
        <Button
          className="quiet fold"
          label={isFolded ? `Show all ${lines.length} lines` : 'Show fewer lines'}
          aria-expanded={!isFolded}
          onClick={() => setOpen(isFolded)}
        />
      )}
    </>
  )
}
