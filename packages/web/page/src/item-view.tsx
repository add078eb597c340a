import { visible, visibleName } from '@fenced/errors/text'
import { memo, useState } from 'react'
import { AnswerView } from './answer-view.tsx'
import { api } from './api.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import type { Item, ToolItem } from './item.ts'
import type { ItemContext } from './item-context.ts'
import { RunCards } from './run-card.tsx'

interface ItemViewProps extends ItemContext {
  readonly item: Item
  /** Changes with the item, whose object stays the same. */
  readonly version: number
}

/** One thing that was said or run. It is drawn again only when it changes. */
export const ItemView = memo(function ItemView({ item, version: _version, ...context }: ItemViewProps) {
  switch (item.type) {
    case 'person':
      return <PersonItem item={item} {...context} />
    case 'upload':
      return (
        <p className="note">
          <Icon name="clip" /> {visibleName(item.path)} was put into the working directory.
        </p>
      )
    case 'answer':
      return <AnswerView item={item} {...context} />
    case 'tool':
      return <ToolView item={item} />
    case 'repeat':
      return (
        <article className="answer">
          {item.isAgain && (
            <p className="note">
              <Icon name="again" /> Run again
            </p>
          )}
          <RunCards run={item.run} {...context} />
        </article>
      )
    case 'undo':
      return (
        <p className="note">
          <Icon name="undo" /> <span>{visible(item.text)}</span>
        </p>
      )
    case 'end':
      return <EndItem item={item} />
  }
})

/** A call of a tool by an agent, with its result. */
function ToolView({ item: { agent, tool, input, result } }: { readonly item: ToolItem }) {
  return (
    <details className="tool-call">
      <summary>
        {visibleName(agent)} calls {visibleName(tool)}
        {result === undefined ? ' …' : result.isError ? ': it failed' : ''}
      </summary>
      <pre>{visible(JSON.stringify(input, undefined, 2) ?? '')}</pre>
      {result !== undefined && <pre>{visible(result.content)}</pre>}
    </details>
  )
}

function PersonItem({
  item,
  id,
  attempt,
  show,
  isWorking,
}: ItemContext & { readonly item: Extract<Item, { type: 'person' }> }) {
  const [isEdited, setEdited] = useState(false)
  const [text, setText] = useState(item.text)
  if (!isEdited) {
    return (
      <article className="person">
        <p>{visible(item.text)}</p>
        {!isWorking && (
          <IconButton
            icon="edit"
            label="Edit this message in another conversation"
            onClick={() => setEdited(true)}
          />
        )}
      </article>
    )
  }
  const branch = () =>
    attempt(async () => show((await api.branch(id, item.id, text)).id)).then(() => setEdited(false))
  return (
    <form
      className="person edited"
      onSubmit={(event) => {
        event.preventDefault()
        void branch()
      }}
    >
      <textarea aria-label="Message" rows={4} value={text} onChange={({ target }) => setText(target.value)} />
      <div className="buttons">
        <Button
          label="Continue from here in another conversation"
          type="submit"
          disabled={text.trim() === ''}
        />
        <Button label="Cancel" onClick={() => setEdited(false)} />
      </div>
    </form>
  )
}

const ends: Readonly<Record<string, string>> = {
  stopped: 'Stopped.',
  interrupted: 'The server ended in the middle of this. Continue to try it again.',
  failed: 'It failed.',
}

function EndItem({ item: { status, message } }: { readonly item: Extract<Item, { type: 'end' }> }) {
  return (
    <p
      className={status === 'failed' ? 'note failure' : 'note'}
      role={status === 'failed' ? 'alert' : 'note'}
    >
      {visible(message ?? ends[status] ?? status)}
    </p>
  )
}
