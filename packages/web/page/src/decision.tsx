import type {
  ApprovalBlock,
  ApprovalRequest,
  CodeApprovalRequest,
  NetworkApprovalRequest,
  ToolApprovalRequest,
} from '@fenced/core'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { api, type FileEntry } from './api.ts'
import type { Attempt } from './app.tsx'
import { DiffView } from './diff-view.tsx'
import { formatBytes } from './format.ts'
import { Icon } from './icon.tsx'
import { useKeys } from './use-keys.ts'
import { visible } from './visible.ts'

const Editor = lazy(() => import('./editor.tsx'))

interface DecisionProps {
  /** Of the conversation. */
  readonly id: string
  readonly request: ApprovalRequest
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
  readonly attempt: Attempt
}

/** A question: what would happen, where, and what stands between it and the machine. A person decides. */
export function Decision({ id, request, tools, attempt }: DecisionProps) {
  const [mode, setMode] = useState<'ask' | 'deny' | 'edit' | 'always'>('ask')
  const [isSent, setSent] = useState(false)
  const answer = async (given: GivenAnswer) => {
    setSent(true)
    if (!(await attempt(() => api.answer(id, request.id, given)))) setSent(false)
  }
  const isCode = request.kind === 'code'
  const canHold = request.kind !== 'tool'
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // Room for what it asks next, and for the editor when it has been loaded.
    if (mode !== 'ask') box.current?.scrollIntoView({ block: mode === 'edit' ? 'start' : 'end' })
  }, [mode])
  useKeys({
    a: () => mode === 'ask' && !isSent && void answer({ decision: 'allow' }),
    d: () => mode === 'ask' && setMode('deny'),
    e: () => mode === 'ask' && isCode && setMode('edit'),
    s: () => void attempt(() => api.stop(id, 'turn')),
    escape: () => setMode('ask'),
  })
  const back = () => setMode('ask')
  return (
    <section className="decision" aria-label="Decision" ref={box}>
      <h2>{titles[request.kind]}</h2>
      <Facts id={id} request={request} tools={tools} />
      {mode === 'deny' && <Deny answer={answer} back={back} />}
      {mode === 'edit' && request.kind === 'code' && (
        <Edit blocks={request.blocks} answer={answer} back={back} />
      )}
      {mode === 'always' && request.kind !== 'tool' && (
        <Always request={request} answer={answer} back={back} />
      )}
      {mode === 'ask' && (
        <div className="buttons">
          <button
            type="button"
            className="primary"
            disabled={isSent}
            onClick={() => answer({ decision: 'allow' })}
          >
            <Icon name="play" /> {allows[request.kind]} <kbd>a</kbd>
          </button>
          <button type="button" disabled={isSent} onClick={() => setMode('deny')}>
            <Icon name="cross" /> Deny <kbd>d</kbd>
          </button>
          {isCode && (
            <button type="button" disabled={isSent} onClick={() => setMode('edit')}>
              <Icon name="edit" /> Edit <kbd>e</kbd>
            </button>
          )}
          {canHold && (
            <button type="button" className="quiet" disabled={isSent} onClick={() => setMode('always')}>
              Always …
            </button>
          )}
          <button type="button" className="quiet" onClick={() => attempt(() => api.stop(id, 'turn'))}>
            <Icon name="stop" /> Stop <kbd>s</kbd>
          </button>
        </div>
      )}
    </section>
  )
}

const titles: Readonly<Record<ApprovalRequest['kind'], string>> = {
  code: 'Run this?',
  tool: 'Allow this call?',
  network: 'Allow this connection?',
}

const allows: Readonly<Record<ApprovalRequest['kind'], string>> = {
  code: 'Run',
  tool: 'Allow',
  network: 'Allow once',
}

/** Everything that one has to know who decides. */
function Facts({ request, ...context }: Omit<DecisionProps, 'attempt'>) {
  switch (request.kind) {
    case 'code':
      return <CodeFacts request={request} {...context} />
    case 'tool':
      return <ToolFacts request={request} />
    case 'network':
      return <NetworkFacts request={request} />
  }
}

function CodeFacts({
  id,
  request,
  tools,
}: Pick<DecisionProps, 'id' | 'tools'> & { readonly request: CodeApprovalRequest }) {
  const { target, blocks, files = [], codeHash, timeoutMs } = request
  const packages = blocks.flatMap((block) => block.packages ?? [])
  const { installablePackages: installable } = target
  const { allowedHosts, allowedCIDRs, deniedCIDRs, ports, ...bounds } = target.particulars
  const limits = Object.entries(bounds)
  return (
    <dl className="facts-list">
      <Fact icon="box" name="Where">
        <strong data-isolation={target.isolation}>{target.description}</strong>
        {target.isolation === 'none' && ': it can do everything that you can do'}
      </Fact>
      <Fact icon="globe" name="Network">
        {networkText(target.network, { allowedHosts, allowedCIDRs, deniedCIDRs, ports })}
      </Fact>
      {(packages.length > 0 || installable !== undefined) && (
        <Fact icon="down" name="Packages">
          {packages.length > 0 && <>it installs {visible(packages.join(', '))}. </>}
          {installable === 'any' && 'What is missing is installed by itself.'}
          {Array.isArray(installable) && `These are installed when missing: ${installable.join(', ')}.`}
        </Fact>
      )}
      {target.workDir !== undefined && (
        <Fact icon="folder" name="Files">
          it works in <code>{target.workDir}</code>
          {files.map(({ path, sizeBytes }) => (
            <span key={path}>
              {' '}
              and writes <code>{path}</code> ({formatBytes(sizeBytes)})
            </span>
          ))}
          <SeenFiles id={id} />
        </Fact>
      )}
      {tools.length > 0 && (
        <Fact icon="plug" name="Tools">
          it can call {tools.join(', ')}
        </Fact>
      )}
      {(limits.length > 0 || timeoutMs !== undefined) && (
        <Fact icon="clock" name="Limits">
          {[...limits, ...(timeoutMs === undefined ? [] : [['timeoutMs', timeoutMs] as const])]
            .map(([name, value]) => limitText(name, value))
            .join(', ')}
        </Fact>
      )}
      <Fact icon="shield" name="SHA-256">
        <code title={codeHash}>{codeHash.slice(0, 16)}</code>
      </Fact>
    </dl>
  )
}

const mostNamed = 5

/** What stands in the working directory already. */
function SeenFiles({ id }: Pick<DecisionProps, 'id'>) {
  const [files, setFiles] = useState<readonly FileEntry[]>()
  useEffect(() => {
    // A list that cannot be read keeps nobody from a decision.
    api.files(id).then(setFiles, () => {})
  }, [id])
  if (files === undefined) return undefined
  if (files.length === 0) return <>, which is empty</>
  const named = files.slice(0, mostNamed).map(({ path }) => visible(path))
  const more = files.length - named.length
  return (
    <>
      {' '}
      and sees {named.join(', ')}
      {more > 0 && ` and ${more} more`}
    </>
  )
}

type Particulars = CodeApprovalRequest['target']['particulars']

function networkText(
  isOpen: boolean,
  list: Readonly<Record<string, Particulars[string] | undefined>>,
): string {
  if (!isOpen) return 'none'
  if (list.allowedHosts === undefined) return 'the code can reach it'
  const reached = [list.allowedHosts, list.allowedCIDRs].filter(Boolean).join(', ') || 'no host'
  const but = list.deniedCIDRs ? `, but not ${list.deniedCIDRs}` : ''
  return `only ${reached}${but} (port ${list.ports}). You are asked about other hosts.`
}

function limitText(name: string, value: string | number | boolean): string {
  if (name.endsWith('Bytes') && typeof value === 'number') return `${name.slice(0, -5)} ${formatBytes(value)}`
  if (name.endsWith('Ms') && typeof value === 'number') return `${name.slice(0, -2)} ${value / 1_000} s`
  return `${name} ${value}`
}

function Fact({
  icon,
  name,
  children,
}: {
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly name: string
  readonly children: ReactNode
}) {
  return (
    <div>
      <dt>
        <Icon name={icon} /> {name}
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

function ToolFacts({ request }: { readonly request: ToolApprovalRequest }) {
  const { tool, description, input, line } = request
  return (
    <>
      <p>
        A program{line === undefined ? '' : ` (line ${line})`} wants to call <code>{tool}</code>.
        {description !== undefined && ` ${description}`}
      </p>
      <pre className="code">
        <code>{visible(JSON.stringify(input, undefined, 2))}</code>
      </pre>
    </>
  )
}

function NetworkFacts({ request: { host, port } }: { readonly request: NetworkApprovalRequest }) {
  return (
    <dl className="facts-list">
      <Fact icon="globe" name="Host">
        <strong>{visible(host)}</strong>, port {port}
      </Fact>
      <Fact icon="shield" name="List">
        it is not in the network list of the sandbox. What the program sends there can be anything that it can
        read.
      </Fact>
    </dl>
  )
}

interface AnswerProps {
  readonly answer: (given: GivenAnswer) => unknown
  readonly back: () => void
}

function Deny({ answer, back }: AnswerProps) {
  const [reason, setReason] = useState('')
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault()
        answer({ decision: 'deny', reason: reason.trim() || 'A person did not want it.' })
      }}
    >
      <label>
        Why? The model reads it.
        <textarea
          rows={2}
          // biome-ignore lint/a11y/noAutofocus: a person has just asked for it.
          autoFocus
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
        />
      </label>
      <div className="buttons">
        <button type="submit" className="primary">
          Deny
        </button>
        <button type="button" onClick={back}>
          Back
        </button>
      </div>
    </form>
  )
}

function Edit({ blocks, answer, back }: AnswerProps & { readonly blocks: readonly ApprovalBlock[] }) {
  const [codes, setCodes] = useState(blocks.map(({ code }) => code))
  const isChanged = codes.some((code, index) => code !== blocks[index]?.code)
  const run = () =>
    answer({
      decision: 'edit',
      blocks: blocks.map(({ language, code }, index) => ({ language, code: codes[index] ?? code })),
    })
  return (
    <div className="answer-form">
      {blocks.map(({ code, language }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks stay in their order.
        <div key={index} className="edit">
          <Suspense fallback={<p className="note">The editor is loading.</p>}>
            <Editor
              code={code}
              language={language}
              label={`Program ${index + 1} (${language})`}
              onChange={(next) => setCodes((all) => all.with(index, next))}
            />
          </Suspense>
          {codes[index] !== code && <DiffView before={code} after={codes[index] ?? ''} />}
        </div>
      ))}
      <div className="buttons">
        <button type="button" className="primary" disabled={!isChanged} onClick={run}>
          <Icon name="play" /> Run what I wrote
        </button>
        <button type="button" onClick={back}>
          Back
        </button>
      </div>
    </div>
  )
}

/** An answer that holds on has a scope that is named, and is given twice. */
function Always({
  request,
  answer,
  back,
}: AnswerProps & { readonly request: CodeApprovalRequest | NetworkApprovalRequest }) {
  const scope =
    request.kind === 'code'
      ? `All code of this conversation, ${request.target.description}`
      : `All connections of this conversation to ${visible(request.host)}, port ${request.port}`
  return (
    <div className="answer-form">
      <p>For how much does it hold? You can take it back at the top of the page.</p>
      <div className="buttons">
        {request.kind === 'code' && request.remembersCode !== false && (
          <button type="button" onClick={() => answer({ decision: 'allow', remember: 'code' })}>
            Exactly this code, {request.target.description}
          </button>
        )}
        {request.kind === 'network' && (
          <button type="button" onClick={() => answer({ decision: 'allow', remember: 'run' })}>
            All connections of this run to it
          </button>
        )}
        <button
          type="button"
          className="danger"
          onClick={() => answer({ decision: 'allow', remember: 'conversation' })}
        >
          {scope}
        </button>
        <button type="button" onClick={back}>
          Back
        </button>
      </div>
    </div>
  )
}
