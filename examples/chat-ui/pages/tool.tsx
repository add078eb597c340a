import { useChat } from '@ai-sdk/react'
import { visibleCode } from '@fenced/errors/text'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { createRoot } from 'react-dom/client'
import type { ToolUIMessage } from '../tool.ts'

type Part = ToolUIMessage['parts'][number]
type ToolPart = Extract<Part, { type: 'tool-execute_code' }>

type Decide = (answer: { id: string; approved: boolean }) => void

function Chat() {
  const { messages, sendMessage, addToolApprovalResponse, status, stop, error } = useChat<ToolUIMessage>({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const isRunning = status === 'submitted' || status === 'streaming'
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end.
            <PartView key={index} part={part} decide={addToolApprovalResponse} />
          ))}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      {isRunning ? (
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <form action={(form) => sendMessage({ text: `${form.get('task')}` })}>
          <input name="task" aria-label="Task" placeholder="How many digits does 2 ** 1000 have?" required />
        </form>
      )}
    </main>
  )
}

function PartView({ part, decide }: { part: Part; decide: Decide }) {
  if (part.type === 'text') return <p>{part.text}</p>
  return part.type === 'tool-execute_code' ? <Program part={part} decide={decide} /> : null
}

/** A program with its question, and its output while it runs. */
function Program({ part, decide }: { part: ToolPart; decide: Decide }) {
  const { state, input, approval, output, errorText } = part
  return (
    <fieldset>
      <legend>Program</legend>
      <pre>{visibleCode(input?.code ?? '')}</pre>
      {state === 'approval-requested' && approval !== undefined && (
        <>
          <button type="button" onClick={() => decide({ id: approval.id, approved: true })}>
            Allow
          </button>
          <button type="button" onClick={() => decide({ id: approval.id, approved: false })}>
            Deny
          </button>
        </>
      )}
      {state === 'output-denied' && <output>denied</output>}
      {output !== undefined && (
        <pre>
          <samp>{output.output}</samp>
        </pre>
      )}
      {errorText !== undefined && <p role="alert">{errorText}</p>}
    </fieldset>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(<Chat />)
