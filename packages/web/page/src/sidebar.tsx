import { visible } from '@fenced/errors/text'
import { useState } from 'react'
import { api, type ConversationSummary } from './api.ts'
import { Button, IconButton } from './button.tsx'
import type { Attempt } from './item-context.ts'

interface SidebarProps {
  readonly list: readonly ConversationSummary[]
  readonly current: string | undefined
  readonly isOpen: boolean
  readonly show: (id: string | undefined) => void
  readonly attempt: Attempt
}

export function Sidebar({ list, current, isOpen, show, attempt }: SidebarProps) {
  return (
    <nav className={isOpen ? 'sidebar open' : 'sidebar'} aria-label="Conversations">
      <div className="brand">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>Fenced</span>
      </div>
      <Button icon="plus" label="New conversation" className="new" onClick={() => show(undefined)} />
      <ul>
        {list.map((each) => (
          <Row
            key={each.id}
            conversation={each}
            isCurrent={each.id === current}
            show={show}
            attempt={attempt}
          />
        ))}
      </ul>
    </nav>
  )
}

interface RowProps extends Pick<SidebarProps, 'show' | 'attempt'> {
  readonly conversation: ConversationSummary
  readonly isCurrent: boolean
}

function Row({ conversation: { id, title: given, isWorking }, isCurrent, show, attempt }: RowProps) {
  const [isRenamed, setRenamed] = useState(false)
  const title = visible(given)
  const rename = (text: string) => {
    setRenamed(false)
    if (text.trim() !== '' && text !== given) void attempt(() => api.rename(id, text.trim()))
  }
  const remove = () => {
    if (!confirm(`Delete "${title}" with its files?`)) return
    void attempt(async () => {
      await api.delete(id)
      if (isCurrent) show(undefined)
    })
  }
  if (isRenamed) {
    return (
      <li>
        <input
          className="rename"
          aria-label="Title"
          defaultValue={given}
          // biome-ignore lint/a11y/noAutofocus: a person has just asked for it.
          autoFocus
          onBlur={({ currentTarget }) => rename(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') rename(currentTarget.value)
            if (key === 'Escape') setRenamed(false)
          }}
        />
      </li>
    )
  }
  return (
    <li className={isCurrent ? 'current' : ''}>
      <button
        type="button"
        className="title"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => show(id)}
      >
        {isWorking && <span className="dot" role="img" aria-label="working" />}
        {title}
      </button>
      <IconButton icon="edit" label={`Rename ${title}`} onClick={() => setRenamed(true)} />
      <IconButton icon="trash" label={`Delete ${title}`} onClick={remove} />
    </li>
  )
}
