import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { readIntoOneBuffer } from '@fenced/shared'
import { Demultiplexer, NotFramesError, type OutputSink } from './demultiplexer.ts'

/** Parts of a {@link ContainerProcess}. */
export interface ProcessParts {
  /** Connection that delivers the process's output and accepts its stdin. */
  readonly connection: Duplex | Readable
  /** Whether data written to the connection is sent to the process's stdin. */
  readonly hasStdin: boolean
  /** See {@link ContainerProcess.poll}. */
  poll(): Promise<number | undefined>
  /** Returns the error to throw if the engine sends anything other than output. */
  fault(cause: NotFramesError): Error
}

/** A process in a container, and the connection to it. */
export class ContainerProcess {
  /** The process's stdin, if it is open. It ends when the connection does. */
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

  /** @internal */
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
   * Passes on the process's output until the connection ends, which is the only way that the output ends, even after an error.
   * Call this once.
   *
   * @param sink - Receives the output in order of arrival. While a promise that it returned is pending, nothing more is read.
   * @throws FencedError `ENGINE_FAILED` if the engine sends anything other than output; the error that the sink throws. In either
   *   case, the connection is closed.
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

  /** Returns the exit code as the engine reports it; `undefined` while the process runs, or if the engine does not answer. */
  poll(): Promise<number | undefined> {
    return this.#parts.poll()
  }

  /** Keeps this Node process alive while the connection is open. This is the initial state. */
  ref(): void {
    socketOf(this.#connection).ref?.()
  }

  /** Lets this Node process exit while the connection is still open. */
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
