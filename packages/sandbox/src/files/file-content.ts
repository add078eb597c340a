import { Readable } from 'node:stream'
import type { Sandbox } from '@fenced/core/sandbox'
import { FileCommand, type FileFailure } from './file-command.ts'
import { readScript } from './file-scripts.ts'

/** What is read: the path, and words for a failure of it. */
export interface FileContentRequest {
  readonly path: string
  readonly failure: FileFailure
  readonly signal?: AbortSignal | undefined
}

/** The content of a file while a process reads it. The process waits while the reader does, and ends with it. */
export class FileContent extends Readable {
  #command: FileCommand | undefined
  #isOpen = false
  readonly #opened = Promise.withResolvers<'open'>()
  #onRoom: (() => void) | undefined

  /** `undefined` when no regular file is there. */
  static async open(
    spawn: Sandbox['spawn'],
    { path, failure, signal }: FileContentRequest,
  ): Promise<FileContent | undefined> {
    const content = new FileContent()
    // The next reader gets an error.
    content.on('error', () => {})
    const command = await FileCommand.start(spawn, {
      script: readScript,
      args: [path],
      failure,
      signal,
      onOutput: (chunk) => content.#accept(chunk),
    })
    content.#command = command
    const state = await Promise.race([content.#opened.promise, command.ended])
    if (state === 'missing') return undefined
    content.#follow(command, signal)
    return content
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

  #accept(chunk: Uint8Array): void | Promise<void> {
    // The first line says that the file is open.
    const content = this.#isOpen ? chunk : chunk.subarray(1)
    this.#isOpen = true
    this.#opened.resolve('open')
    if (this.destroyed || content.length === 0 || this.push(Buffer.from(content))) return
    return new Promise((resolve) => {
      this.#onRoom = resolve
    })
  }

  #follow(command: FileCommand, signal: AbortSignal | undefined): void {
    const cancel = () => this.destroy(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    this.once('close', () => signal?.removeEventListener('abort', cancel))
    command.ended.then(
      () => this.push(null),
      (error) => this.destroy(error),
    )
  }
}
