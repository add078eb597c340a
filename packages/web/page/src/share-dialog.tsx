import { formatBytes } from '@fenced/errors/text'
import { useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { type ShareChoices, type SharedConversation, sharedConversation } from './shared-conversation.ts'
import { sharedPage } from './shared-page.tsx'
import type { ConversationView } from './view.ts'

interface ShareDialogProps {
  /** Of the conversation. */
  readonly id: string
  readonly title: string
  readonly view: ConversationView
  readonly close: () => void
}

/** Chooses what of a conversation is shared, lists it, and saves it as one file. */
export function ShareDialog({ id, title, view, close }: ShareDialogProps) {
  const [choices, setChoices] = useState<ShareChoices>({
    output: true,
    pictures: true,
    reasoning: false,
    redacted: [],
  })
  const [problem, setProblem] = useState<string>()
  const [size, setSize] = useState<number>()
  const shared = useMemo(() => sharedConversation({ title, view }, choices), [title, view, choices])
  const change = (next: Partial<ShareChoices>) => {
    setSize(undefined)
    setChoices({ ...choices, ...next })
  }
  const save = async () => {
    try {
      const html = await sharedPage({ id, shared })
      const blob = new Blob([html], { type: 'text/html' })
      download(blob, `${shared.title}.html`)
      setSize(blob.size)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Dialog title="Share as a file" close={close}>
      <p>
        The file is one HTML page without scripts. It works offline and loads nothing. Everyone who has the
        file can read all of it.
      </p>
      <fieldset className="share-choices">
        <legend>Contents</legend>
        <Check label="Output and results" isOn={choices.output} set={(output) => change({ output })} />
        <Check
          label="Pictures and names of files"
          isOn={choices.pictures}
          set={(pictures) => change({ pictures })}
        />
        <Check
          label="Reasoning of the model"
          isOn={choices.reasoning}
          set={(reasoning) => change({ reasoning })}
        />
      </fieldset>
      <label className="share-texts">
        Replace these texts, one on each line
        <textarea
          rows={3}
          spellCheck={false}
          placeholder="names, hosts, keys"
          onChange={({ target }) => change({ redacted: textsIn(target.value) })}
        />
      </label>
      <Contents shared={shared} />
      <div className="buttons">
        <Button icon="down" label="Save the file" className="primary" onClick={() => void save()} />
        <Button label="Cancel" onClick={close} />
        {size !== undefined && <span role="status">Saved: {formatBytes(size)}.</span>}
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </Dialog>
  )
}

function textsIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function Contents({ shared: { counts } }: { readonly shared: SharedConversation }) {
  const { messages, answers, programs, outputs, pictures, redactions } = counts
  return (
    <section className="share-list" aria-label="What the file contains">
      <h3>The file contains</h3>
      <ul>
        <li>{counted(messages, 'message')} of yours</li>
        <li>{counted(answers, 'text')} of the model or a document</li>
        <li>
          {counted(programs, 'program')}, {outputs} with output
        </li>
        <li>{counted(pictures, 'picture')}</li>
        <li>
          {counted(redactions, 'replaced text')}: what you name, and credentials of known forms. The working
          directory is written as <code>.</code>
        </li>
      </ul>
      <p className="note">Pictures are not searched for texts.</p>
    </section>
  )
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

interface CheckProps {
  readonly label: string
  readonly isOn: boolean
  readonly set: (isOn: boolean) => void
}

function Check({ label, isOn, set }: CheckProps) {
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={({ target }) => set(target.checked)} />
      {label}
    </label>
  )
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
