import type { KeyboardEvent } from 'react'

/**
 * Keys of a card, by their names in lower case. They work while the focus is in the card and not in a text field. A key that is held
 * down counts once.
 */
export function cardKeys(keys: Readonly<Record<string, () => unknown>>) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const isWriting = target.closest('input, textarea, select, [contenteditable="true"]') !== null
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
    if (isWriting && event.key !== 'Escape') return
    const key = event.key.toLowerCase()
    const work = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (work === undefined) return
    event.preventDefault()
    work()
  }
}

/** Keeps Enter and the space bar, held down, from pressing a button or sending a form again. An editor of code takes them. */
export function withoutHeldKeys(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement
  const sends = event.key === 'Enter' && target.closest('[contenteditable="true"]') === null
  const presses = event.key === ' ' && target.closest('button') !== null
  if (!event.repeat || !(sends || presses)) return
  event.preventDefault()
  event.stopPropagation()
}
