import type { ApprovalAnswer, ExecutionEvent } from '@fenced/core'
import type { LoggedRunEvent } from '../event.ts'

/** How much live output of a run the log keeps, in characters, before only its end is kept. */
const maxOutput = 4 * 1024 * 1024
const tailLength = 16 * 1024
/** Output is written to the log in pieces of this length, in characters, or after this time. */
const pieceLength = 16 * 1024
const pieceMs = 40
/** How often the log says how much is left out, in milliseconds. */
const droppedMs = 500

interface Piece {
  readonly type: 'stdout' | 'stderr'
  readonly index: number
  text: string
}

/** Options of {@link RunRecorder}. */
export interface RunRecorderOptions {
  readonly append: (event: LoggedRunEvent) => void
  /** The answer to a question, as a person gave it. */
  readonly answerTo: (id: string) => ApprovalAnswer | undefined
}

/** Writes the events of an execution into the log, in fewer pieces, and not more output than a page can show. */
export class RunRecorder implements Disposable {
  readonly #append: (event: LoggedRunEvent) => void
  readonly #answerTo: (id: string) => ApprovalAnswer | undefined
  #piece: Piece | undefined
  #written = 0
  #dropped = 0
  #saidDroppedAt = 0
  /** The end of what is left out. */
  #tail: Piece | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ append, answerTo }: RunRecorderOptions) {
    this.#append = append
    this.#answerTo = answerTo
  }

  take(event: ExecutionEvent): void {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.#write(event)
        return
      case 'execution-end':
        this.#flush()
        return
      case 'approval-requested':
        // It cannot be answered yet: who asks records it.
        return
      case 'approval-answered': {
        const { id, remembered, decision, reason = '' } = event
        const given = decision === 'deny' ? ({ decision, reason } as const) : ({ decision: 'allow' } as const)
        this.record({ type: 'approval-answered', id, remembered, answer: this.#answerTo(id) ?? given })
        return
      }
      case 'block-end': {
        const { status, exitCode, durationMs, notices } = event.result
        this.record({ type: 'block-end', index: event.index, status, exitCode, durationMs, notices })
        return
      }
      default:
        this.record(event)
    }
  }

  /** An event that is not of the execution. */
  record(event: LoggedRunEvent): void {
    this.#flush()
    this.#flushTail()
    this.#append(event)
  }

  [Symbol.dispose](): void {
    this.#flush()
    this.#flushTail()
  }

  #write({ type, index, text }: Piece): void {
    if (this.#written >= maxOutput) {
      this.#drop({ type, index, text })
      return
    }
    if (this.#piece?.type !== type || this.#piece.index !== index) {
      this.#flush()
      this.#piece = { type, index, text: '' }
    }
    this.#piece.text += text
    this.#written += text.length
    if (this.#piece.text.length >= pieceLength) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), pieceMs)
  }

  #drop({ type, index, text }: Piece): void {
    this.#flush()
    this.#dropped += text.length
    const before = this.#tail?.index === index ? this.#tail.text : ''
    this.#tail = { type, index, text: (before + text.slice(-tailLength)).slice(-tailLength) }
    const now = performance.now()
    if (now - this.#saidDroppedAt < droppedMs) return
    this.#saidDroppedAt = now
    this.#append({ type: 'output-dropped', index, characters: this.#dropped })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#piece !== undefined && this.#piece.text !== '') this.#append(this.#piece)
    this.#piece = undefined
  }

  #flushTail(): void {
    if (this.#tail === undefined) return
    const { index, text } = this.#tail
    this.#append({ type: 'output-dropped', index, characters: this.#dropped - text.length })
    this.#append(this.#tail)
    this.#dropped -= text.length
    this.#tail = undefined
  }
}
