import type {
  ApprovalRequest,
  CodeApprovalRequest,
  InputRequest,
  NetworkApprovalRequest,
  ToolApprovalRequest,
} from '@fenced/core'
import { visible, visibleName } from '@fenced/core/text'
import { type ReactNode, useEffect, useState } from 'react'
import { api, type FileEntry } from './api.ts'
import { formatBytes } from './format.ts'
import { Icon } from './icon.tsx'

interface FactsProps {
  /** Of the conversation. */
  readonly id: string
  readonly request: ApprovalRequest
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
}

/** Everything that a person has to know to decide. */
export function Facts({ request, ...context }: FactsProps) {
  switch (request.kind) {
    case 'code':
      return <CodeFacts request={request} {...context} />
    case 'tool':
      return <ToolFacts request={request} />
    case 'network':
      return <NetworkFacts request={request} />
    case 'input':
      return <InputFacts request={request} />
    default:
      return <p>{visible(request.question)}</p>
  }
}

function CodeFacts({
  id,
  request,
  tools,
}: Omit<FactsProps, 'request'> & { readonly request: CodeApprovalRequest }) {
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
          {packages.length > 0 && <>it installs {visibleName(packages.join(', '))}. </>}
          {installable === 'any' && 'Missing ones are installed without a question.'}
          {Array.isArray(installable) && `These are installed when missing: ${installable.join(', ')}.`}
        </Fact>
      )}
      {target.workDir !== undefined && (
        <Fact icon="folder" name="Files">
          it works in <code>{target.workDir}</code>
          {files.map(({ path, sizeBytes }) => (
            <span key={path}>
              {' '}
              and writes <code>{visibleName(path)}</code> ({formatBytes(sizeBytes)})
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

/** The files that the working directory has already. */
function SeenFiles({ id }: Pick<FactsProps, 'id'>) {
  const [files, setFiles] = useState<readonly FileEntry[]>()
  useEffect(() => {
    // A list that cannot be read keeps nobody from a decision.
    api.files(id).then(setFiles, () => {})
  }, [id])
  if (files === undefined) return undefined
  if (files.length === 0) return <>, which is empty</>
  const named = files.slice(0, mostNamed).map(({ path }) => visibleName(path))
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
  if (list.allowedHosts === undefined) return 'open: the program can reach other hosts'
  const reached = [list.allowedHosts, list.allowedCIDRs].filter(Boolean).join(', ') || 'no host'
  const but = list.deniedCIDRs ? `, but not ${list.deniedCIDRs}` : ''
  return `only ${reached}${but} (port ${list.ports}). You are asked about other hosts.`
}

const limitNames: Readonly<Record<string, string>> = {
  memoryBytes: 'memory',
  pids: 'processes',
  timeoutMs: 'time of each program',
}

function limitText(name: string, value: string | number | boolean): string {
  const words = limitNames[name] ?? name
  if (value === false) return `${words} not limited`
  if (name.endsWith('Bytes') && typeof value === 'number') return `${words} ${formatBytes(value)}`
  if (name.endsWith('Ms') && typeof value === 'number') return `${words} ${value / 1_000} s`
  return `${words} ${value}`
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
        A program{line === undefined ? '' : ` (line ${line})`} wants to call <code>{visibleName(tool)}</code>.
        {description !== undefined && ` ${visible(description)}`}
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
        <strong>{visibleName(host)}</strong>, port {port}
      </Fact>
      <Fact icon="shield" name="List">
        it is not in the network list of the sandbox. What the program sends there can be anything that it can
        read.
      </Fact>
    </dl>
  )
}

function InputFacts({ request: { prompt, isSecret } }: { readonly request: InputRequest }) {
  return (
    <>
      {prompt.trim() !== '' && <p className="prompt">{visible(prompt.trim())}</p>}
      <p className="note">
        {isSecret
          ? 'The program reads what you type. It is not shown here, and not kept.'
          : 'The program reads what you type, and so does the model, in the output.'}
      </p>
    </>
  )
}
