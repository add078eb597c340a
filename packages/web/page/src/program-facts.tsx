import type { InputRequest, NetworkApprovalRequest, ToolApprovalRequest } from '@fenced/core'
import { visible, visibleName } from '@fenced/errors/text'
import { Fact, Listing } from './fact-parts.tsx'

export function ToolFacts({ request }: { readonly request: ToolApprovalRequest }) {
  const { tool, description, input, line, after } = request
  return (
    <>
      <p>
        A program{line === undefined ? '' : ` (line ${line})`} wants to call <code>{visibleName(tool)}</code>.
        {description !== undefined && ` ${visible(description)}`}
      </p>
      {after !== undefined && <p>This call may have been made already.</p>}
      <Listing text={JSON.stringify(input, undefined, 2)} />
    </>
  )
}

export function NetworkFacts({ request: { host, port } }: { readonly request: NetworkApprovalRequest }) {
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

export function InputFacts({ request: { prompt, isSecret } }: { readonly request: InputRequest }) {
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
