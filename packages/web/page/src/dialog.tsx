import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button, IconButton } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}

/** A dialog above the page. Escape and its button close it, and the focus returns to where it was. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog className="dialog" ref={dialog} aria-labelledby={heading} onClose={close}>
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="cross" label="Close" onClick={close} />
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  /** Label of the button that does it. */
  readonly label: string
  readonly confirm: () => void
  readonly close: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, text, label, confirm, close }: ConfirmProps) {
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      <div className="buttons">
        <Button label={label} className="danger" onClick={confirm} />
        <Button label="Cancel" onClick={close} />
      </div>
    </Dialog>
  )
}
