import { useState } from 'react'
import { api } from './api.ts'
import { Button } from './button.tsx'
import type { ItemContext } from './item-context.ts'

type UndoButtonProps = Pick<ItemContext, 'id' | 'attempt' | 'undoable'> & {
  /** ID of the run. */
  readonly run: string
}

/** Undoes a run and all later ones. */
export function UndoButton({ run, id, attempt, undoable }: UndoButtonProps) {
  const [isUndoing, setUndoing] = useState(false)
  const position = undoable.indexOf(run)
  if (position === -1) return undefined
  const later = undoable.length - 1 - position
  const undo = async (conversation: HTMLElement | null) => {
    setUndoing(true)
    // The button goes, and the conversation keeps the focus.
    if (await attempt(() => api.undo(id, run))) conversation?.focus({ preventScroll: true })
    setUndoing(false)
  }
  return (
    <Button
      icon="undo"
      label={later === 0 ? 'Undo this step' : `Undo this step and ${later} later`}
      title="Variables and files become as they were before this program."
      className="quiet"
      disabled={isUndoing}
      onClick={({ currentTarget }) => undo(currentTarget.closest<HTMLElement>('.conversation'))}
    />
  )
}
