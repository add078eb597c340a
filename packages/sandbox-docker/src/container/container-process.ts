import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { readIntoOneBuffer } from '@fenced/host'
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
  /** The same, where it is read into one buffer. */
  readonly #socket: Socket | undefined
  readonly #parts: ProcessParts
  /** Output that arrived before a reader was attached. */
  #early: Buffer[] = []
  #take = (chunk: Uint8Array) => {
    this.#early.push(Buffer.from(chunk))
    this.#socket?.pause()
  }

  constructor(parts: ProcessParts) {
    const { hasStdin } = parts
    this.#parts = parts
    this.#socket = readIntoOneBuffer(parts.connection, (chunk) => this.#take(chunk))
    const connection = this.#socket?.resume() ?? parts.connection
    this.#connection = connection
    this.stdin = hasStdin ? (connection as Duplex) : undefined
    // Of a connection that is gone; its end is what is looked at.
    connection.on('error', () => {})
  }

  /**
   * Passes its output on until the connection ends. The end of the connection is the only end of the output, also after an error. To
   * be called once.
   *
   * @param sink - takes the output in the order of its arrival; while a promise that it returned is pending nothing more is
   * read.
   * @throws FencedError `ENGINE_FAILED` when the engine sends anything other than output; the error that the sink throws. The
   * connection is closed then.
   */
  async read(sink: OutputSink): Promise<void> {
    let held: Promise<unknown> | undefined
    const demultiplexer = new Demultiplexer((stream, chunk) => {
      const promise = sink(stream, chunk)
      if (promise !== undefined) held = held === undefined ? promise : Promise.all([held, promise])
    })
    const push = (chunk: Uint8Array) => {
      held = undefined
      demultiplexer.push(chunk)
      return held
    }
    try {
      await (this.#socket === undefined ? this.#readChunks(push) : this.#readBuffer(this.#socket, push))
    } catch (cause) {
      throw cause instanceof NotFramesError ? this.#parts.fault(cause) : cause
    } finally {
      this.#connection.destroy()
    }
  }

  /** Rejects with what `push` throws, or its promise rejects with. */
  async #readChunks(push: Push): Promise<void> {
    const chunks = this.#connection[Symbol.asyncIterator]()
    for (;;) {
      // It was cut.
      const next = await chunks.next().catch(() => undefined)
      if (next === undefined || next.done === true) return
      await push(next.value)
    }
  }

  async #readBuffer(socket: Socket, push: Push): Promise<void> {
    const over = Promise.withResolvers<void>()
    let taken: Promise<unknown> | undefined
    this.#take = (chunk) => {
      try {
        taken = push(chunk)
      } catch (error) {
        taken = undefined
        over.reject(error)
      }
      if (taken === undefined) return
      socket.pause()
      taken.then(() => socket.resume(), over.reject)
    }
    socket.once('end', over.resolve).once('close', over.resolve)
    for (const chunk of this.#early.splice(0)) await push(chunk)
    if (socket.readableEnded || socket.destroyed) return
    socket.resume()
    await over.promise
    await taken
  }

  /** Its exit code after its end, as the engine reports it; `undefined` while it runs, and when the engine does not answer. */
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

/** Passes on what has come. The promise is to be waited for before the next. */
type Push = (chunk: Uint8Array) => Promise<unknown> | undefined

/** Of an answer it is the socket below; one through ssh has no such methods. */
function socketOf(connection: object): { ref?(): void; unref?(): void } {
  return 'socket' in connection ? (connection.socket as object) : connection
}
