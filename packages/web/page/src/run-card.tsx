import type { NetworkConnection } from '@fenced/core'
import { formatBytes, formatDuration, visible, visibleName } from '@fenced/core/text'
import { lazy, Suspense, useEffect, useState } from 'react'
import { api, filePath } from './api.ts'
import { CodeView } from './code-view.tsx'
import { DiffView } from './diff-view.tsx'
import { Icon } from './icon.tsx'
import type { ItemContext } from './item-context.ts'
import { OutputView } from './output-view.tsx'
import { Progress } from './progress.tsx'
import { svgAddress } from './svg-picture.ts'
import type { BlockView, RunView } from './view.ts'

export function RunCards({ run, ...context }: ItemContext & { readonly run: RunView }) {
  return (
    <>
      {run.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks stay in their order.
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
  return (
    <section className="card" data-state={state.kind} aria-label={`Program (${visibleName(language)})`}>
      <header>
        <span className="language">{visibleName(language)}</span>
        <span className="state">
          <span className="mark" aria-hidden="true" />
          {state.words}
          {block.state === 'running' && run?.result === undefined && <Clock since={block.startedAt ?? 0} />}
        </span>
        <CopyButton text={code} />
      </header>
      <Edited block={block} run={run} />
      <CodeView code={code} language={language} />
      <Calls block={block} />
      <Connections block={block} />
      <OutputView output={block.output} dropped={block.dropped} length={block.output.lines.length} />
      {block.results.map(({ seq, result }) => (
        <Result key={seq} result={result} />
      ))}
      {block.notices.map(({ code: notice, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notices are only added.
        <p key={index} className="notice" data-code={notice}>
          {visible(message)}
        </p>
      ))}
      <Files block={block} id={id} />
    </section>
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
export function RunFooter({ run, id, isWorking, attempt }: ItemContext & { readonly run: RunView }) {
  const { answer, result, notices } = run
  const isStarted = run.blocks.some(({ state }) => state !== 'waiting')
  return (
    <footer className="run-footer">
      {notices
        .filter(({ code }) => code !== 'denied' && code !== 'edited')
        .map((notice, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notices are only added.
          <Progress key={`${notice.code} ${index}`} notice={notice} isOver={result !== undefined} />
        ))}
      {answer?.given.decision === 'deny' && (
        <p className="notice">
          Denied{answer.given.reason === '' ? '.' : `: ${visible(answer.given.reason)}`}
        </p>
      )}
      {answer?.remembered === true && <p className="notice">Not asked: an earlier answer applies.</p>}
      {result === undefined && isStarted && (
        <button type="button" onClick={() => attempt(() => api.stop(id, 'run'))}>
          <Icon name="stop" /> Stop the program
        </button>
      )}
      {result !== undefined && result.status !== 'denied' && !isWorking && (
        <button type="button" className="quiet" onClick={() => attempt(() => api.repeat(id, run.id))}>
          <Icon name="again" /> Run again
        </button>
      )}
    </footer>
  )
}

const words: Readonly<Record<string, string>> = {
  ok: 'finished',
  timeout: 'stopped at its time limit',
  cancelled: 'stopped',
  'output-limit': 'stopped: it printed too much',
  'out-of-memory': 'ended: out of memory',
  denied: 'not run',
  invalid: 'could not be run',
  died: 'its executor died',
  skipped: 'not a program',
}

function stateOf(
  { state, status = '', exitCode, durationMs }: BlockView,
  run: RunView | undefined,
): { readonly kind: string; readonly words: string } {
  if (state === 'ended') {
    const kind = status === 'ok' || status === 'skipped' ? 'ok' : 'bad'
    const duration = durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`
    return { kind, words: `${words[status] ?? `failed with exit code ${exitCode}`}${duration}` }
  }
  if (run?.result !== undefined) {
    const isDenied = run.result.status === 'denied'
    return { kind: isDenied ? 'denied' : 'bad', words: isDenied ? 'not run: denied' : 'not run' }
  }
  // The question about a program precedes its run; questions about calls and connections occur during the run.
  const asked = run?.pending
    .map(({ request }) => request)
    .find(({ kind }) => (kind === 'code') === (state === 'waiting'))
  if (asked !== undefined)
    return {
      kind: 'asked',
      words: `waits for your ${asked.kind === 'input' || asked.kind === 'message' ? 'answer' : 'decision'}`,
    }
  return state === 'running' ? { kind: 'running', words: 'running' } : { kind: 'waiting', words: 'waiting' }
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
    <button
      type="button"
      className="icon"
      aria-label={isCopied ? 'Copied' : 'Copy the program'}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}

/** Calls of tools of the host. */
function Calls({ block: { calls } }: { readonly block: BlockView }) {
  if (calls.length === 0) return undefined
  return (
    <ul className="calls" aria-label="Calls of tools">
      {calls.map(({ id, tool, input, answer }) => (
        <li key={id}>
          <code>
            {visibleName(tool)}({visible(JSON.stringify(input))})
          </code>{' '}
          {answer === undefined
            ? 'waits'
            : answer.error === undefined
              ? `answered after ${formatDuration(answer.durationMs)}`
              : `${answer.error.kind}: ${visible(answer.error.message)}`}
        </li>
      ))}
    </ul>
  )
}

const verdicts: Readonly<Record<NetworkConnection['verdict'], string>> = {
  allowed: 'allowed',
  refused: 'refused: nothing went out',
  failed: 'allowed, and failed',
}

/** Connections out of a sandbox whose network is a list. */
function Connections({ block: { connections } }: { readonly block: BlockView }) {
  if (connections.length === 0) return undefined
  return (
    <ul className="calls" aria-label="Connections">
      {connections.map(({ id, host, port, verdict, reason, bytesSent, bytesReceived }) => (
        <li key={id} data-verdict={verdict}>
          <Icon name="globe" />{' '}
          <code>
            {visibleName(host)}:{port}
          </code>{' '}
          {verdicts[verdict]}
          {reason !== undefined && ` (${visible(reason)})`}
          {verdict === 'allowed' &&
            `, ${formatBytes(bytesSent)} sent, ${formatBytes(bytesReceived)} received`}
        </li>
      ))}
    </ul>
  )
}

// It brings a parser of HTML, which most conversations do not need.
const HtmlFrame = lazy(async () => ({ default: (await import('./html-frame.tsx')).HtmlFrame }))

/** What a kernel shows: the best of its forms that is safe here. */
function Result({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    const data = result[type]
    if (typeof data === 'string')
      return <img className="picture" src={`data:${type};base64,${data}`} alt={textOf(result)} />
  }
  const { 'text/html': html, 'image/svg+xml': svg } = result
  if (typeof html === 'string')
    return (
      <Suspense fallback={<p className="note">The result is loading.</p>}>
        <HtmlFrame html={html} title={`What the program shows: ${textOf(result)}`} />
      </Suspense>
    )
  if (typeof svg === 'string') return <img className="picture" src={svgAddress(svg)} alt={textOf(result)} />
  return (
    <pre className="output-text">
      <code>{textOf(result)}</code>
    </pre>
  )
}

function textOf(result: Readonly<Record<string, unknown>>): string {
  const text = result['text/plain']
  return typeof text === 'string' ? visible(text.slice(0, 100_000)) : 'a result'
}

const texts = /\.(?:csv|json|log|md|py|tsv|txt)$/i
const pictures = /\.(?:png|jpe?g|gif|webp)$/i

function Files({ block: { files }, id }: { readonly block: BlockView; readonly id: string }) {
  if (files.length === 0) return undefined
  return (
    <ul className="files" aria-label="Files">
      {files.map(({ path: name, sizeBytes, change }) => (
        <li key={name}>
          {pictures.test(name) && (
            <img
              className="picture"
              src={`${filePath(id, name)}?shown`}
              alt={visibleName(name)}
              loading="lazy"
            />
          )}
          <a href={filePath(id, name)} download>
            <Icon name="down" /> {visibleName(name)}
          </a>{' '}
          <span>
            {formatBytes(sizeBytes)}, {change}
          </span>
          {texts.test(name) && <TextPreview url={`${filePath(id, name)}?shown`} />}
        </li>
      ))}
    </ul>
  )
}

/** How much of a file is shown, in characters. */
const previewLength = 4_000

/** The beginning of a text, loaded on demand. */
function TextPreview({ url }: { readonly url: string }) {
  const [text, setText] = useState<string>()
  const load = async () => {
    try {
      setText(await firstText(url))
    } catch (error) {
      setText(`It cannot be shown: ${error instanceof Error ? error.message : error}`)
    }
  }
  return (
    <details onToggle={({ currentTarget: { open } }) => open && text === undefined && void load()}>
      <summary>Preview</summary>
      {text !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be scrolled with the keyboard.
        <pre className="code" tabIndex={0}>
          {visible(text)}
        </pre>
      )}
    </details>
  )
}

/** Reads no more of it than is shown. */
async function firstText(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok || response.body === null) throw new Error(`the server answered with ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.length < previewLength) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
  await reader.cancel()
  return `${text.slice(0, previewLength)}…`
}
