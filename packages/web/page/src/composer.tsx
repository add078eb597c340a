import { useState } from 'react'
import { api, type ConversationSummary } from './api.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'
import { Icon } from './icon.tsx'
import type { Attempt } from './item-context.ts'
import { isDocument, useDrop } from './use-drop.ts'
import type { ConversationView } from './view.ts'

interface ComposerProps {
  readonly id: string
  readonly view: ConversationView
  readonly summary: ConversationSummary | undefined
  readonly attempt: Attempt
}

/** The field for the next message, and what stops the work. */
export function Composer({ id, view, summary, attempt }: ComposerProps) {
  const [text, setText] = useState('')
  const [isEarly, setEarly] = useState(false)
  const { isWorking, canResume, question } = view
  const hasModel = summary?.model !== ''
  const send = async () => {
    if (text.trim() === '') return
    if (isWorking) return setEarly(true)
    if (await attempt(() => api.send(id, text))) setText('')
  }
  const put = async (files: readonly File[]) => {
    for (const file of files) await api.upload(id, file)
  }
  const drop = useDrop((files) =>
    attempt(async () => {
      await put(files)
      const document = files.find(isDocument)
      if (document !== undefined && files.length === 1 && !isWorking)
        await api.runDocument(id, { name: document.name, text: await document.text() })
    }),
  )
  return (
    <Form className={drop.isOver ? 'composer over' : 'composer'} {...drop.handlers} send={send}>
      {isWorking && isEarly && (
        <p className="early" role="status">
          {question === undefined
            ? 'Your message is not sent yet. Send it when the work has ended, or stop the work.'
            : 'Your message is not sent yet. Answer the question first, or stop.'}
        </p>
      )}
      {hasModel ? (
        <textarea
          aria-label="Message"
          rows={Math.min(8, text.split('\n').length)}
          placeholder={question === undefined ? 'Write a message' : 'A question waits'}
          value={text}
          onChange={({ target }) => {
            setEarly(false)
            setText(target.value)
          }}
        />
      ) : (
        <p className="without-model">No model: drop a Markdown file or a notebook here to run it.</p>
      )}
      <label className="icon attach" title="Put files into the working directory">
        <Icon name="clip" />
        <input
          type="file"
          multiple
          aria-label="Put files into the working directory"
          onChange={({ target }) => void attempt(() => put([...(target.files ?? [])]))}
        />
      </label>
      {canResume && text === '' && (
        <Button icon="again" label="Continue" onClick={() => attempt(() => api.resume(id))} />
      )}
      {isWorking && (
        <Button
          icon="stop"
          label="Stop"
          title="Ends the program, the answer and the question. Then it is your turn."
          onClick={() => attempt(() => api.stop(id))}
        />
      )}
      {!isWorking && hasModel && (
        <Button icon="send" label="Send" type="submit" disabled={text.trim() === ''} />
      )}
    </Form>
  )
}
