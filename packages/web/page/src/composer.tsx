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
  const { isWorking, canResume } = view
  const hasModel = summary?.model !== ''
  const send = async () => {
    if (text.trim() === '' || isWorking) return
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
      <textarea
        aria-label="Message"
        rows={Math.min(8, text.split('\n').length)}
        placeholder={hasModel ? 'Write a message' : 'Without a model: drop a document here'}
        value={text}
        disabled={!hasModel}
        onChange={({ target }) => setText(target.value)}
      />
      <label className="icon attach" title="Put a file into the working directory">
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
      {isWorking ? (
        <Button icon="stop" label="Stop" onClick={() => attempt(() => api.stop(id, 'turn'))} />
      ) : (
        <Button icon="send" label="Send" type="submit" disabled={text.trim() === ''} />
      )}
    </Form>
  )
}
