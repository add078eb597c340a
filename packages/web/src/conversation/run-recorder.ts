import type { ExecutionEvent } from '@fenced/core'
import type { ConversationEvent, LoggedCodeEvent } from '../event.ts'
import { TextPieces } from './text-pieces.ts'

/** How much live output of a run the log keeps, in characters, before only its end is kept. */
const maxOutput = 4 * 1024 * 1024
const tailLength = 16 * 1024
/** How often the log says how much is left out, in milliseconds. */
const droppedMs = 500

interface Piece {
  readonly type: 'stdout' | 'stderr'
  readonly index: number
  readonly text: string
}

interface RecorderParts {
  readonly runId: string
  readonly append: (event: ConversationEvent) => void
}

/** Writes the events of an execution into the log, in fewer pieces, and not more output than a page can show. */
export class RunRecorder implements Disposable {
  readonly runId: string
  readonly #append: (event: ConversationEvent) => void
  /** What the output that comes is of. */
  #source: Omit<Piece, 'text'> | undefined
  readonly #pieces: TextPieces
  #written = 0
  #dropped = 0
  #saidDroppedAt = 0
  /** The end of what is left out. */
  #tail: Piece | undefined

  constructor({ runId, append }: RecorderParts) {
    this.runId = runId
    this.#append = append
    this.#pieces = new TextPieces((text) => {
      if (this.#source !== undefined) this.#appendCode({ ...this.#source, text })
    })
  }

  take(event: ExecutionEvent): void {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.#writePiece(event)
        return
      case 'execution-end':
      // Questions are written where they are asked.
      case 'approval-requested':
      case 'approval-answered':
      case 'approval-withdrawn':
        return
      case 'block-end': {
        const { status, exitCode, durationMs, notices, error, usage } = event.result
        const facts = { status, exitCode, durationMs, notices, ...(usage && { usage }) }
        const end = { type: 'block-end', index: event.index, ...facts } as const
        if (error === undefined) this.record(end)
        else {
          const { text: _, ...data } = error
          this.record({ ...end, error: data })
        }
        return
      }
      default:
        this.record(event)
    }
  }

  /** An event of the execution, behind all output before it. */
  record(event: LoggedCodeEvent): void {
    this.flush()
    this.#appendCode(event)
  }

  /** Writes the output so far. */
  flush(): void {
    this.#pieces.flush()
    this.#flushTail()
  }

  [Symbol.dispose](): void {
    this.flush()
  }

  #writePiece({ type, index, text }: Piece): void {
    if (this.#written >= maxOutput) {
      this.#drop({ type, index, text })
      return
    }
    if (this.#source?.type !== type || this.#source.index !== index) {
      this.#pieces.flush()
      this.#source = { type, index }
    }
    this.#pieces.add(text)
    this.#written += text.length
  }

  #drop({ type, index, text }: Piece): void {
    this.#pieces.flush()
    this.#dropped += text.length
    const before = this.#tail?.index === index ? this.#tail.text : ''
    this.#tail = { type, index, text: (before + text.slice(-tailLength)).slice(-tailLength) }
    const now = performance.now()
    if (now - this.#saidDroppedAt < droppedMs) return
    this.#saidDroppedAt = now
    this.#appendCode({ type: 'output-dropped', index, characters: this.#dropped })
  }

  #flushTail(): void {
    if (this.#tail === undefined) return
    const { index, text } = this.#tail
    this.#appendCode({ type: 'output-dropped', index, characters: this.#dropped - text.length })
    this.#appendCode(this.#tail)
    this.#dropped -= text.length
    this.#tail = undefined
  }

  #appendCode(event: LoggedCodeEvent): void {
    this.#append({ type: 'code', runId: this.runId, event })
  }
}
