import { type DragEvent, useState } from 'react'

/** Whether a file is one whose code can be run without a model. */
export function isDocument({ name }: File): boolean {
  return /\.(?:md|markdown|ipynb)$/i.test(name)
}

/** Takes files that are dropped on an element. */
export function useDrop(take: (files: readonly File[]) => unknown) {
  const [isOver, setOver] = useState(false)
  const handlers = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      take([...event.dataTransfer.files])
    },
  }
  return { isOver, handlers }
}
