import { useChat } from '@ai-sdk/react'
import type { AgentUIDataParts, AgentUIMessage } from '@fenced/agents'
import { visibleCode } from '@fenced/errors/text'
import { createRoot } from 'react-dom/client'

type Part = AgentUIMessage['parts'][number]

function Chat() {
  const { messages, sendMessage, status, stop, error } = useChat<AgentUIMessage>()
  const isRunning = status === 'submitted' || status === 'streaming'
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end.
            <PartView key={index} part={part} isRunning={isRunning} />
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
          <input name="task" aria-label="Task" placeholder="How many primes are below 1000?" required />
        </form>
      )}
    </main>
  )
}

function PartView({ part, isRunning }: { part: Part; isRunning: boolean }) {
  switch (part.type) {
    case 'text':
      return <p style={{ whiteSpace: 'pre-wrap' }}>{part.text}</p>
    case 'data-agent':
      return <h2>{part.data.name}</h2>
    case 'data-code': {
      // After `stop()`, nothing more arrives: the server has stopped the program.
      const isStopped = part.data.status === 'running' && !isRunning
      return <p role="status">Program: {isStopped ? 'stopped' : part.data.status}</p>
    }
    case 'data-output':
      return (
        <pre>
          <samp>{part.data.text}</samp>
        </pre>
      )
    case 'data-picture':
      return <img src={part.data.url} alt="Drawn by the program" />
    case 'data-file':
      return <p>File: {part.data.path}</p>
    case 'data-error':
      return <p role="alert">{`${part.data.name}: ${part.data.message}`}</p>
    case 'data-notice':
      return <p>{part.data.message}</p>
    case 'data-question':
      return <Question data={part.data} isRunning={isRunning} />
    default:
      return null
  }
}

interface QuestionProps {
  data: AgentUIDataParts['question']
  isRunning: boolean
}

function Question({ data, isRunning }: QuestionProps) {
  const { request, question, state, decision } = data
  const blocks = request.kind === 'code' ? request.blocks : []
  const answer = async (answer: 'allow' | 'deny') => {
    const body = JSON.stringify({ id: request.id, answer })
    const headers = { 'content-type': 'application/json' }
    await fetch('/api/answer', { method: 'POST', headers, body })
  }
  return (
    <fieldset>
      <legend>{question}</legend>
      {blocks.map(({ code }) => (
        <pre key={code}>{visibleCode(code)}</pre>
      ))}
      {state === 'open' && isRunning ? (
        <>
          <button type="button" onClick={() => answer('allow')}>
            Allow
          </button>
          <button type="button" onClick={() => answer('deny')}>
            Deny
          </button>
        </>
      ) : (
        <output>{decision ?? 'withdrawn'}</output>
      )}
    </fieldset>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(<Chat />)
