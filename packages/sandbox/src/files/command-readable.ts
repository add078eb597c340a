import { Readable, type ReadableOptions } from 'node:stream'
import type { FileCommand } from './file-command.ts'

/** The output of a process, as a stream. The process waits while the reader does, and ends with the stream. */
export abstract class CommandReadable extends Readable {
  #command: FileCommand | undefined
  #onRoom: (() => void) | undefined

  protected constructor(options: ReadableOptions = {}) {
    super(options)
    // The next reader gets the error.
    this.on('error', () => {})
  }

  /** Pushes what remains when the process has ended. */
  protected finish(): void {
    this.push(null)
  }

  override _read(): void {
    this.#onRoom?.()
    this.#onRoom = undefined
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this._read()
    void this.#command?.kill().then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    )
  }

  /** Resolves when the reader wants more. */
  protected untilRead(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve
    })
  }

  protected kills(command: FileCommand): void {
    this.#command = command
  }

  /** Ends with the process. */
  protected follow(command: FileCommand, signal: AbortSignal | undefined): void {
    const cancel = () => this.destroy(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    this.once('close', () => signal?.removeEventListener('abort', cancel))
    command.ended.then(
      () => this.finish(),
      (error) => this.destroy(error),
    )
  }
}
