import { type RefObject, useEffect, useRef } from 'react'

/** Moves the focus to a field when it appears, unless a person is writing elsewhere. */
export function useFreeFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null)
  useEffect(() => {
    if (document.activeElement?.matches('input, textarea, [contenteditable="true"]') !== true)
      field.current?.focus()
  }, [])
  return field
}
