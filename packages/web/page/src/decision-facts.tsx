import type { ApprovalRequest, CodeApprovalRequest } from '@fenced/core'
import { visibleName } from '@fenced/errors/text'
import { useEffect, useState } from 'react'
import { FileFacts, InstallFacts, MessageFacts, ProcessFacts } from './action-facts.tsx'
import { api, type FileEntry, type Place } from './api.ts'
import { Fact, PlaceFacts } from './fact-parts.tsx'
import { limitTexts } from './limit-texts.ts'
import { InputFacts, NetworkFacts, ToolFacts } from './program-facts.tsx'

interface FactsProps {
  /** Of the conversation. */
  readonly id: string
  readonly request: ApprovalRequest
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
  /** Where the programs run, if it is known. */
  readonly place: Place | undefined
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
    case 'install':
      return <InstallFacts request={request} />
    case 'file':
      return <FileFacts request={request} />
    case 'process':
      return <ProcessFacts request={request} />
    case 'message':
      return <MessageFacts request={request} />
  }
}

function CodeFacts({
  id,
  request,
  tools,
  place,
}: Omit<FactsProps, 'request'> & { readonly request: CodeApprovalRequest }) {
  const { target, blocks, codeHash, timeoutMs, maxWaitMs, after } = request
  const packages = blocks.flatMap((block) => block.packages ?? [])
  const { installablePackages: installable } = target
  const ofCall = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  }
  // What a target does not list has the default.
  const limits = limitTexts({ ...place?.particulars, ...target.particulars, ...ofCall }, place?.limits)
  return (
    <dl className="facts-list">
      {after !== undefined && (
        <Fact icon="again" name="Before">
          this program may have run already
        </Fact>
      )}
      <PlaceFacts target={target} />
      {(packages.length > 0 || installable !== undefined) && (
        <Fact icon="down" name="Packages">
          {packages.length > 0 && <>it installs {visibleName(packages.join(', '))}. </>}
          {installable === 'any' && 'You are asked before a missing one is installed.'}
          {Array.isArray(installable) &&
            `You are asked before one of these is installed: ${visibleName(installable.join(', '))}.`}
        </Fact>
      )}
      {target.workDir !== undefined && (
        <Fact icon="folder" name="Files">
          it works in <code>{target.workDir}</code>
          <SeenFiles id={id} />
        </Fact>
      )}
      {tools.length > 0 && (
        <Fact icon="plug" name="Tools">
          it can call {tools.join(', ')}
        </Fact>
      )}
      {limits.length > 0 && (
        <Fact icon="clock" name="Limits">
          {limits.join(', ')}
        </Fact>
      )}
      <Fact icon="shield" name="SHA-256">
        <code className="hash">{codeHash}</code>
      </Fact>
    </dl>
  )
}

const mostNamed = 5

/** The files that the working directory has already. */
function SeenFiles({ id }: Pick<FactsProps, 'id'>) {
  const [files, setFiles] = useState<readonly FileEntry[]>()
  useEffect(() => {
    // An unreadable list does not block the decision.
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
