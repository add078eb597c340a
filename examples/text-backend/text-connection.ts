import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'
import { type TextFrame, TextFrames } from './text-frames.ts'
import type { TextProcess } from './text-sandbox.ts'
import { TextStdin } from './text-stdin.ts'

type OutputFrame = Extract<TextFrame, { readonly content: Buffer }>

/** How much text is written at a time, in characters: the largest frame of stdin is whole. */
const pieceLength = 50_000

/** How long a released connection may take to inform its process, in milliseconds. */
const farewellMs = 1_000

/** A process over text, from its first frame to its last. */
export class TextConnection implements BackendProcess {
  readonly stdin: Writable | undefined
  readonly ref?: () => void
  readonly unref?: () => void
  /** Resolves when the command begins; rejects when the connection ends before. */
  readonly begun: Promise<void>
  readonly #begun = Promise.withResolvers<void>()
  readonly #stdin: TextStdin
  readonly #process: TextProcess
  readonly #waiting: OutputFrame[] = []
  readonly #open = new Set(['stdout', 'stderr'])
  #sending: Promise<void> = Promise.resolve()
  #wake = Promise.withResolvers<void>()
  #exitCode: number | undefined
  #fault: { readonly cause: unknown } | undefined
  #isOver = false
  #isClosed = false

  /**
   * Starts a process.
   *
   * @param start - starts it, and passes on its stdout.
   */
  static async open(
    start: (onStdout: (text: string) => void) => Promise<TextProcess>,
    hasStdin: boolean,
  ): Promise<TextConnection> {
    const early: string[] = []
    let take = (text: string): void => {
      early.push(text)
    }
    const process = await start((text) => take(text))
    const connection = new TextConnection(process, hasStdin)
    take = connection.#receiver()
    take(early.join(''))
    return connection
  }

  private constructor(process: TextProcess, hasStdin: boolean) {
    this.#process = process
    this.#stdin = new TextStdin((text) => this.send(text))
    this.stdin = hasStdin ? this.#stdin : undefined
    if (process.ref !== undefined) this.ref = () => process.ref?.()
    if (process.unref !== undefined) this.unref = () => process.unref?.()
    this.begun = this.#begun.promise
    this.begun.catch(() => {})
    const end = () => this.#end()
    process.ended.then(end, end)
  }

  /** Writes text, in order. A connection that is gone shows as the end of its output. */
  send(text: string): Promise<void> {
    const write = async () => {
      for (let at = 0; at < text.length; at += pieceLength)
        await this.#process.write(text.slice(at, at + pieceLength))
    }
    this.#sending = this.#sending.then(write).catch(() => {})
    return this.#sending
  }

  async read(sink: OutputSink): Promise<void> {
    for (;;) {
      const frame = this.#waiting.shift()
      if (frame === undefined) {
        if (this.#isOver) break
        await this.#wake.promise
        this.#wake = Promise.withResolvers()
        continue
      }
      try {
        await sink(frame.kind, frame.content)
      } catch (error) {
        this.#fault ??= { cause: error }
        this.destroy()
      }
      if (!this.#isOver) void this.send(frame.kind === 'stdout' ? 'o\n' : 'e\n')
    }
    this.#close()
    if (this.#fault !== undefined) throw this.#fault.cause
  }

  async poll(): Promise<number | undefined> {
    return this.#exitCode
  }

  destroy(): void {
    this.#waiting.length = 0
    this.#end()
    this.#close()
  }

  #receiver(): (text: string) => void {
    const frames = new TextFrames()
    return (text) => {
      if (this.#isOver) return
      try {
        for (const frame of frames.push(text)) this.#take(frame)
      } catch (cause) {
        this.#fault ??= { cause }
        this.#begun.reject(cause)
        this.#end()
        this.#close()
      }
    }
  }

  #take(frame: TextFrame): void {
    if (frame.kind === 'begun') this.#begun.resolve()
    else if (frame.kind === 'taken') this.#stdin.taken()
    else if (frame.kind === 'exit') this.#exitCode = frame.code
    else if (frame.content.length > 0) this.#waiting.push(frame)
    else this.#open.delete(frame.kind)
    if (this.#open.size === 0) this.#end()
    this.#wake.resolve()
  }

  /** Ends the output. */
  #end(): void {
    this.#isOver = true
    this.#stdin.stop()
    this.#begun.reject(new Error('The connection ended before the command began.'))
    this.#wake.resolve()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const late = delay(farewellMs, undefined, { ref: false })
    void Promise.race([this.send('q\n'), late]).finally(() => this.#process.close())
  }
}
