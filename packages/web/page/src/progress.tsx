import type { Notice } from '@fenced/core'
import { visible } from '@fenced/errors/text'
import { isProgress } from './run-view.ts'

/** How a start goes: words, and a bar beside what takes a while. */
export function Progress({ notice, isOver = false }: ProgressProps) {
  const message = visible(notice.message)
  const [, percent] = /\b(\d{1,3})%/.exec(message) ?? []
  const hasBar = !isOver && (percent !== undefined || isProgress(notice))
  return (
    <div className="progress">
      <span>{message}</span>
      {hasBar && (
        <progress
          aria-label={message}
          max={100}
          {...(percent === undefined ? {} : { value: Number(percent) })}
        />
      )}
    </div>
  )
}

interface ProgressProps {
  readonly notice: Notice
  /** Whether the work has ended. */
  readonly isOver?: boolean
}
