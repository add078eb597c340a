import type { MessageRequest } from '@fenced/core'
import { visible } from '@fenced/errors/text'
import { useState } from 'react'
import { type AnswerProps, useFreeFocus } from './answer-forms.tsx'
import { Button } from './button.tsx'
import { Form } from './form.tsx'

interface MessageFormProps extends Omit<AnswerProps, 'back'> {
  readonly request: MessageRequest
  readonly deny: () => void
}

/** The message of a person to agents. An empty text is sent by its own button only: it can run programs. */
export function MessageForm({ request: { choices }, answer, deny, isReady }: MessageFormProps) {
  const [text, setText] = useState('')
  const field = useFreeFocus<HTMLTextAreaElement>()
  const send = (message: string) => answer({ decision: 'answer', text: message })
  return (
    <Form className="answer-form" send={() => text !== '' && send(text)}>
      <textarea
        ref={field}
        aria-label="Your message"
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="buttons">
        <Button icon="send" label="Send" type="submit" disabled={!isReady || text === ''} />
        {choices.map((choice) => (
          <button key={choice.answer} type="button" disabled={!isReady} onClick={() => send(choice.answer)}>
            {visible(choice.label)}
            {choice.answer !== '' && (
              <>
                {' '}
                <code>{visible(choice.answer)}</code>
              </>
            )}
          </button>
        ))}
        <Button icon="cross" label="No message" shortcut="d" disabled={!isReady} onClick={deny} />
      </div>
    </Form>
  )
}
