const dayMs = 24 * 60 * 60 * 1_000

/** The heading under which the list shows a conversation. */
export function dateGroup(time: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(time)) / dayMs)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days <= 7) return 'Previous 7 days'
  return new Date(time).toLocaleDateString('en', { month: 'long', year: 'numeric' })
}

/** A short time: the hour of today, and the day of everything earlier. */
export function shortTime(time: number, now: number): string {
  const date = new Date(time)
  if (startOfDay(time) === startOfDay(now))
    return date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  return date.toLocaleDateString('en', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { year: 'numeric' }),
  })
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}
