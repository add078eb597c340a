import { useEffect, useRef } from 'react'

/** Keys of the page, by their names in lower case. A key that belongs to a text that is written is not one of them. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isWriting = target.closest('input, textarea, select, [contenteditable="true"]') !== null
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (isWriting && event.key !== 'Escape') return
      const key = event.key.toLowerCase()
      const work = Object.hasOwn(current.current, key) ? current.current[key] : undefined
      if (work === undefined) return
      event.preventDefault()
      work()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
