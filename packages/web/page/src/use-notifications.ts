import { visible } from '@fenced/errors/text'
import { useEffect, useRef, useState } from 'react'
import type { ConversationSummary } from './api.ts'
import { newQuestions } from './conversation-groups.ts'

const key = 'fenced-notifications'

/** Whether the desktop reports decisions that wait, and how to change that. */
export interface Notifications {
  /** Whether the browser has notifications. */
  readonly isOffered: boolean
  readonly isOn: boolean
  readonly toggle: () => void
}

interface NotificationsOptions {
  readonly list: readonly ConversationSummary[] | undefined
  readonly show: (id: string) => void
}

/** Reports each question that appears while the page is in the background. Off until the person turns it on. */
export function useNotifications({ list, show }: NotificationsOptions): Notifications {
  const isOffered = 'Notification' in window
  const [isOn, setOn] = useState(
    () => isOffered && Notification.permission === 'granted' && localStorage.getItem(key) === 'on',
  )
  const before = useRef(list)
  useEffect(() => {
    const added = newQuestions(before.current ?? list ?? [], list ?? [])
    before.current = list
    // A page in view shows the question in its list.
    if (!isOn || (!document.hidden && document.hasFocus())) return
    for (const { id, title } of added) {
      const notification = new Notification(visible(title), { body: 'A decision waits for you.', tag: id })
      notification.onclick = () => {
        focus()
        show(id)
        notification.close()
      }
    }
  }, [list, isOn, show])
  const toggle = async () => {
    const next = !isOn && (await Notification.requestPermission()) === 'granted'
    localStorage.setItem(key, next ? 'on' : 'off')
    setOn(next)
  }
  return { isOffered, isOn, toggle: () => void toggle() }
}
