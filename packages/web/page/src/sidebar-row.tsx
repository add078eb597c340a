import { visible } from '@fenced/errors/text'
import { type KeyboardEvent, useState } from 'react'
import { api, type ConversationSummary } from './api.ts'
import { IconButton } from './button.tsx'
import { shortTime } from './dates.ts'
import { Confirm } from './dialog.tsx'
import type { Attempt } from './item-context.ts'

interface SidebarRowProps {
  readonly conversation: ConversationSummary
  /** Where a search found its text. */
  readonly excerpt: string | undefined
  readonly isCurrent: boolean
  readonly now: number
  readonly show: (id: string | undefined) => void
  readonly attempt: Attempt
}

/** A conversation in the list: its title, state and time, and how to rename and delete it. */
export function SidebarRow({ conversation, excerpt, isCurrent, now, show, attempt }: SidebarRowProps) {
  const { id, title: given } = conversation
  const [mode, setMode] = useState<'shown' | 'renamed' | 'deleted'>('shown')
  const title = visible(given)
  const rename = (text: string) => {
    setMode('shown')
    if (text.trim() !== '' && text !== given) void attempt(() => api.rename(id, text.trim()))
  }
  const remove = () => {
    setMode('shown')
    void attempt(async () => {
      await api.delete(id)
      if (isCurrent) show(undefined)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'F2') setMode('renamed')
    else if (event.key === 'Delete') setMode('deleted')
    else return
    event.preventDefault()
  }
  if (mode === 'renamed') return <Rename title={given} rename={rename} cancel={() => setMode('shown')} />
  // One tab stop for each conversation: F2 and Delete do what its buttons do.
  const tabIndex = isCurrent ? 0 : -1
  return (
    <li className={isCurrent ? 'current' : ''}>
      <button
        type="button"
        className="title"
        title={title}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => show(id)}
        onKeyDown={onKeyDown}
      >
        <span className="name">{title}</span>
        <StateLine conversation={conversation} excerpt={excerpt} now={now} />
      </button>
      <span className="actions">
        <IconButton
          icon="edit"
          label={`Rename ${title}`}
          tabIndex={tabIndex}
          onClick={() => setMode('renamed')}
        />
        <IconButton
          icon="trash"
          label={`Delete ${title}`}
          tabIndex={tabIndex}
          onClick={() => setMode('deleted')}
        />
      </span>
      {mode === 'deleted' && (
        <Confirm
          title="Delete this conversation?"
          text={`“${title}” and its files are deleted. This cannot be undone.`}
          label="Delete"
          confirm={remove}
          close={() => setMode('shown')}
        />
      )}
    </li>
  )
}

function StateLine({
  conversation: { questions, isWorking, updatedAt },
  excerpt = '',
  now,
}: Pick<SidebarRowProps, 'conversation' | 'excerpt' | 'now'>) {
  const state = questions > 0 ? 'asked' : isWorking ? 'working' : undefined
  const words = questions > 1 ? `${questions} decisions` : questions === 1 ? 'decision' : 'working'
  return (
    <span className="when" data-state={state}>
      {state !== undefined && (
        <>
          <span className="dot" aria-hidden="true" /> {words} ·{' '}
        </>
      )}
      <time dateTime={new Date(updatedAt).toISOString()}>{shortTime(updatedAt, now)}</time>
      {excerpt !== '' && <span className="excerpt"> {visible(excerpt)}</span>}
    </span>
  )
}

interface RenameProps {
  readonly title: string
  readonly rename: (title: string) => void
  readonly cancel: () => void
}

function Rename({ title, rename, cancel }: RenameProps) {
  return (
    <li>
      <input
        className="rename"
        aria-label="Title"
        defaultValue={title}
        // biome-ignore lint/a11y/noAutofocus: a person has just asked for it.
        autoFocus
        onBlur={({ currentTarget }) => rename(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') rename(currentTarget.value)
          if (key === 'Escape') cancel()
        }}
      />
    </li>
  )
}
