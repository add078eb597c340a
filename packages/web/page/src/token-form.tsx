import { useState } from 'react'
import { api } from './api.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'

/** Takes the token of the server, or the address that contains it. */
export function TokenForm({ entered }: { readonly entered: () => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const send = async () => {
    try {
      await api.exchange(tokenIn(text))
      entered()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Form className="token" send={send}>
      <label>
        Token, or the address that the server printed
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={text}
          aria-invalid={problem !== undefined}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <Button label="Enter" type="submit" disabled={text.trim() === ''} />
      {problem !== undefined && <p role="alert">{problem}</p>}
    </Form>
  )
}

function tokenIn(text: string): string {
  return /#token=([^&\s]+)/.exec(text)?.[1] ?? text.trim()
}
