import type { Duplex, Readable, Writable } from 'node:stream'
import { Demultiplexer, NotFramesError, type OutputSink } from './demultiplexer.ts'

/** What a {@link ContainerProcess} is made of. */
export interface ProcessParts {
  /** What the engine gives of its output, and takes for its stdin. */
  readonly connection: Duplex | Readable
  /** Whether what is written to the connection is its stdin. */
  readonly hasStdin: boolean
  /** See {@link ContainerProcess.poll}. */
  poll(): Promise<number | undefined>
  /** What to throw when the engine sends something else than the output. */
  fault(cause: NotFramesError): Error
}

/** A process in a container, and the connection to it. */
export class ContainerProcess {
  /** Its stdin, where it is open. The end of the connection is its end. */
  readonly stdin: Writable | undefined
  readonly #connection: Duplex | Readable
  readonly #parts: ProcessParts

  constructor(parts: ProcessParts) {
    const { connection, hasStdin } = parts
    this.#parts = parts
    this.#connection = connection
    this.stdin = hasStdin ? (connection as Duplex) : undefined
    // Of a connection that is gone; its end is what is looked at.
    connection.on('error', () => {})
  }

  /**
   * Passes its output on until the connection ends, however it ends: one that was cut looks like the end of the output. To
   * be called once.
   *
   * @param sink - takes the output in the order of its arrival; while a promise that it returned is pending nothing more is
   * read.
   * @throws FencedError `ENGINE_FAILED` when the engine sends something else than output, and whatever the sink throws. The
   * connection is closed then.
   */
  async read(sink: OutputSink): Promise<void> {
    let held: Promise<unknown> | undefined
    const demultiplexer = new Demultiplexer((stream, chunk) => {
      const promise = sink(stream, chunk)
      if (promise !== undefined) held = held === undefined ? promise : Promise.all([held, promise])
    })
    let fault: { readonly cause: unknown } | undefined
    try {
      for await (const chunk of this.#connection) {
        try {
          held = undefined
          demultiplexer.push(chunk)
          await held
        } catch (cause) {
          fault = { cause }
          break
        }
      }
    } catch {
      // It was cut.
    }
    if (fault === undefined) return
    throw fault.cause instanceof NotFramesError ? this.#parts.fault(fault.cause) : fault.cause
  }

  /** Its exit code once it has ended, as the engine tells it; `undefined` while it runs, and when the engine does not answer. */
  poll(): Promise<number | undefined> {
    return this.#parts.poll()
  }

  /** Keeps this Node process going while the connection is open, as it does at first. */
  ref(): void {
    socketOf(this.#connection).ref?.()
  }

  /** Lets this Node process end although the connection is open. */
  unref(): void {
    socketOf(this.#connection).unref?.()
  }

  /** Closes the connection. */
  destroy(): void {
    this.#connection.destroy()
  }
}

/** Of an answer it is the socket below; one through ssh has no such methods. */
function socketOf(connection: object): { ref?(): void; unref?(): void } {
  return 'socket' in connection ? (connection.socket as object) : connection
}
