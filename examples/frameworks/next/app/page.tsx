'use client'

import { useChat } from '@ai-sdk/react'
import type { codeExecutionTool } from '@fenced/executor-local'
import type { InferUITool, UIDataTypes, UIMessage } from 'ai'

type Tools = {
  execute_code: InferUITool<ReturnType<typeof codeExecutionTool>>
}

/** Shows the messages, and each program with its output while it runs. */
export default function Page() {
  const { messages, sendMessage, status, error } =
    useChat<UIMessage<unknown, UIDataTypes, Tools>>()
  const ask = (form: FormData) =>
    sendMessage({ text: String(form.get('question')) })
  return (
    <main>
      {messages.map(({ id, parts }) => (
        <section key={id}>
          {parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>
            if (part.type !== 'tool-execute_code') return null
            return (
              <pre key={index}>
                {part.input?.code} {'\n\n'} {part.output?.output}
              </pre>
            )
          })}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={ask}>
        <input
          name="question"
          placeholder="How many digits does 2 ** 1000 have?"
          disabled={status === 'streaming'}
        />
      </form>
    </main>
  )
}
