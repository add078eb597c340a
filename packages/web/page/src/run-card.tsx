import type { ErrorFrame } from '@fenced/core'
import { formatDuration, formatUsage, visible, visibleName } from '@fenced/errors/text'
import { useEffect, useState } from 'react'
import { api } from './api.ts'
import { BlockFiles } from './block-files.tsx'
import { stateOf } from './block-state.ts'
import { Button, IconButton } from './button.tsx'
import { DiffView } from './diff-view.tsx'
import type { ItemContext } from './item-context.ts'
import { OutputView } from './output-view.tsx'
import { ProgramView } from './program-view.tsx'
import { Progress } from './progress.tsx'
import { Result } from './result-view.tsx'
import { Calls, Connections } from './run-notes.tsx'
import type { BlockView, RunView } from './run-view.ts'
import { UndoButton } from './undo-button.tsx'

export function RunCards({ run, ...context }: ItemContext & { readonly run: RunView }) {
  return (
    <>
      {run.blocks.map((block, index) => (
        <BlockCard key={index} block={block} run={run} {...context} />
      ))}
      <RunFooter run={run} {...context} />
    </>
  )
}

interface BlockCardProps extends ItemContext {
  readonly block: BlockView
  readonly run: RunView | undefined
}

/** A program with its state, output, results and files. */
export function BlockCard({ block, run, id }: BlockCardProps) {
  const { language, code } = block.block
  const state = stateOf(block, run)
  const { startedAt, end } = block
  return (
    <section
      className="card"
      data-state={state.kind}
      aria-label={`Program ${block.number} (${visibleName(language)})`}
    >
      <header>
        <span className="language">{visibleName(language)}</span>
        <span className="state">
          <span className="mark" aria-hidden="true" />
          {state.words}
          {startedAt !== undefined && end === undefined && run?.result === undefined && (
            <Clock since={startedAt} />
          )}
        </span>
        <CopyButton text={code} />
      </header>
      <Edited block={block} run={run} />
      <ProgramView
        block={block}
        run={run}
        isAsked={state.kind === 'asked' || state.kind === 'waiting'}
        errorLine={errorPlace(block)?.line}
      />
      <ErrorText block={block} />
      <Calls block={block} />
      <Connections block={block} />
      <OutputView
        output={block.output}
        dropped={block.dropped}
        length={block.output.lines.length}
        showsEnd={state.kind === 'running' || state.kind === 'bad'}
      />
      {block.results.map(({ seq, result }) => (
        <Result key={seq} result={result} />
      ))}
      {block.notices.map(({ code: notice, message }, index) => (
        <p key={index} className="notice" data-code={notice}>
          {visible(message)}
        </p>
      ))}
      {end?.usage !== undefined && <p className="usage">{formatUsage(end.usage)}</p>}
      <BlockFiles block={block} id={id} />
    </section>
  )
}

/** The line of the program that was running when its error was raised. */
function errorPlace({ end }: BlockView): ErrorFrame | undefined {
  return end?.error?.traceback.findLast(({ blockIndex }) => blockIndex !== undefined)
}

/** The error in one line, with a way to its line in the program. */
function ErrorText({ block }: Pick<BlockCardProps, 'block'>) {
  const { error } = block.end ?? {}
  if (error === undefined) return undefined
  const place = errorPlace(block)
  const message = visible(error.message.split('\n', 1)[0] ?? '')
  return (
    <p className="error-text">
      <code>{visibleName(error.name)}</code>
      {message !== '' && `: ${message}`}
      {place !== undefined && (
        <>
          {' '}
          <button
            type="button"
            className="link"
            onClick={({ currentTarget }) =>
              currentTarget
                .closest('.card')
                ?.querySelector('.error-line')
                ?.scrollIntoView({ block: 'center' })
            }
          >
            line {place.line}
          </button>
        </>
      )}
    </p>
  )
}

/** What a person changed, beside what the model wrote. */
function Edited({ block, run }: Pick<BlockCardProps, 'block' | 'run'>) {
  const { given } = run?.answer ?? {}
  if (run?.question === undefined || given?.decision !== 'edit') return undefined
  const before = run.question.blocks[run.blocks.indexOf(block)]?.code ?? ''
  return (
    <details className="edited-by">
      <summary>Edited by a person. Show the changes</summary>
      <DiffView before={before} after={block.block.code} />
    </details>
  )
}

/** The state of a run as a whole, and what a person can do about it. */
export function RunFooter({
  run,
  id,
  isWorking,
  attempt,
  undoable,
}: ItemContext & { readonly run: RunView }) {
  const { answer, result, notices } = run
  return (
    <footer className="run-footer">
      {notices
        .filter(({ code }) => code !== 'denied' && code !== 'edited')
        .map((notice, index) => (
          <Progress key={`${notice.code} ${index}`} notice={notice} isOver={result !== undefined} />
        ))}
      {answer?.given.decision === 'deny' && (
        <p className="notice">
          Denied{answer.given.reason === '' ? '.' : `: ${visible(answer.given.reason)}`}
        </p>
      )}
      {answer?.remembered === true && <p className="notice">Not asked: an earlier answer applies.</p>}
      {!isWorking && <UndoButton run={run.id} {...{ id, attempt, undoable }} />}
      {result !== undefined && result.status !== 'denied' && !isWorking && (
        <Button
          icon="again"
          label="Run again"
          className="quiet"
          onClick={() => attempt(() => api.repeat(id, run.id))}
        />
      )}
    </footer>
  )
}

function Clock({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200)
    return () => clearInterval(timer)
  }, [])
  return <span className="clock"> {formatDuration(Math.max(0, now - since))}</span>
}

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : 'Copy the program'}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  )
}
