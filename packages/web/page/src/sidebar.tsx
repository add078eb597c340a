import { useDeferredValue, useEffect, useState } from 'react'
import { api, type ConversationSummary, type FoundConversation } from './api.ts'
import { Button, IconButton } from './button.tsx'
import { groupsOf } from './conversation-groups.ts'
import { Icon } from './icon.tsx'
import type { Attempt } from './item-context.ts'
import { SidebarRow } from './sidebar-row.tsx'
import type { Notifications } from './use-notifications.ts'

interface SidebarProps {
  readonly list: readonly ConversationSummary[]
  readonly current: string | undefined
  readonly isOpen: boolean
  readonly show: (id: string | undefined) => void
  readonly attempt: Attempt
  readonly notifications: Notifications
  readonly openHelp: () => void
}

export function Sidebar({ list, current, isOpen, show, attempt, notifications, openHelp }: SidebarProps) {
  const [text, setText] = useState('')
  const found = useFound(text)
  const now = Date.now()
  return (
    <nav className={isOpen ? 'sidebar open' : 'sidebar'} aria-label="Conversations">
      <div className="brand">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>Fenced</span>
        <IconButton icon="help" label="Help: keys" title="Keys (?)" onClick={openHelp} />
      </div>
      <Button icon="plus" label="New conversation" className="new" onClick={() => show(undefined)} />
      {(list.length > 1 || text !== '') && (
        <label className="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search conversations"
            placeholder="Search"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      )}
      <div className="list">
        {groupsOf(list, { text, found, now }).map(([heading, rows]) => (
          <section key={heading} aria-label={heading}>
            <h2 className="group">{heading}</h2>
            <ul>
              {rows.map((each) => (
                <SidebarRow
                  key={each.id}
                  conversation={each}
                  excerpt={found?.find(({ id }) => id === each.id)?.excerpt}
                  isCurrent={each.id === current}
                  {...{ now, show, attempt }}
                />
              ))}
            </ul>
          </section>
        ))}
        {list.length === 0 && <p className="empty">Conversations appear here.</p>}
      </div>
      {notifications.isOffered && (
        <label className="notify">
          <input type="checkbox" checked={notifications.isOn} onChange={notifications.toggle} />
          Notify me about decisions
        </label>
      )}
    </nav>
  )
}

/** What the server finds in the texts of the conversations. */
function useFound(text: string): readonly FoundConversation[] | undefined {
  const wanted = useDeferredValue(text.trim())
  const [found, setFound] = useState<readonly FoundConversation[]>()
  useEffect(() => {
    setFound(undefined)
    if (wanted.length < 2) return
    let isWanted = true
    const timer = setTimeout(() => {
      // Without an answer, the titles that the page has are still searched.
      api.search(wanted.slice(0, 200)).then(
        (answer) => isWanted && setFound(answer),
        () => {},
      )
    }, 150)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [wanted])
  return found
}
