import { api } from './api.ts'
import { Button } from './button.tsx'
import type { ItemContext } from './item-context.ts'
import type { RunView } from './run-view.ts'

type UndoButtonProps = Pick<ItemContext, 'id' | 'isWorking' | 'attempt'> & { readonly run: RunView }

/** Undoes a run and all later ones, or says that this was done. */
export function UndoButton({ run, id, isWorking, attempt }: UndoButtonProps) {
  if (run.isUndone === true) return <p className="notice">Undone.</p>
  if (run.canUndo !== true || run.result === undefined || run.result.status === 'denied' || isWorking)
    return undefined
  return (
    <Button
      label="Undo this step"
      title="Variables and files become as they were before this program. Later programs are undone, too."
      className="quiet"
      onClick={() => attempt(() => api.undo(id, run.id))}
    />
  )
}
