import { useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'

const keys: readonly (readonly [where: string, keys: readonly (readonly [key: string, what: string])[]])[] = [
  [
    'Everywhere',
    [
      ['?', 'this help, outside of text fields'],
      ['Tab', 'to the next control; the first one skips the list'],
      ['Escape', 'closes a dialog, a panel or a menu, and leaves the editor'],
    ],
  ],
  [
    'A question, while it has the focus',
    [
      ['a', 'runs or allows'],
      ['d', 'denies, with a reason'],
      ['e', 'edits the program'],
    ],
  ],
  [
    'A message',
    [
      ['Enter', 'sends'],
      ['Shift+Enter', 'begins a line'],
    ],
  ],
  [
    'A conversation in the list',
    [
      ['Enter', 'opens'],
      ['F2', 'renames'],
      ['Delete', 'deletes, after a question'],
    ],
  ],
]

export function Help({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      {keys.map(([where, rows]) => (
        <section key={where} className="keys">
          <h3>{where}</h3>
          <dl>
            {rows.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}

/** Whether the help is open. `?` opens it wherever the person is not writing. */
export function useHelpKey() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isWriting =
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable="true"]') !== null
      if (key === '?' && !isWriting && !ctrlKey && !metaKey && !altKey) setOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return [isOpen, setOpen] as const
}
