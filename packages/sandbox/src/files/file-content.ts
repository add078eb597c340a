import type { Sandbox } from '@fenced/core/sandbox'
import { CommandReadable } from './command-readable.ts'
import { FileCommand, type FileFailure } from './file-command.ts'
import { readScript } from './file-scripts.ts'

/** What is read: the path, and words for a failure of it. */
export interface FileContentRequest {
  readonly path: string
  readonly failure: FileFailure
  readonly signal?: AbortSignal | undefined
}

/** The content of a file while a process reads it. The process waits while the reader does, and ends with it. */
export class FileContent extends CommandReadable {
  #isOpen = false
  readonly #opened = Promise.withResolvers<'open'>()

  /** `undefined` when no regular file is there. */
  static async open(
    spawn: Sandbox['spawn'],
    { path, failure, signal }: FileContentRequest,
  ): Promise<FileContent | undefined> {
    const content = new FileContent()
    const command = await FileCommand.start(spawn, {
      script: readScript,
      args: [path],
      failure,
      signal,
      onOutput: (chunk) => content.#accept(chunk),
    })
    content.kills(command)
    const state = await Promise.race([content.#opened.promise, command.ended])
    if (state === 'missing') return undefined
    content.follow(command, signal)
    return content
  }

  #accept(chunk: Uint8Array): void | Promise<void> {
    // The first line says that the file is open.
    const content = this.#isOpen ? chunk : chunk.subarray(1)
    this.#isOpen = true
    this.#opened.resolve('open')
    if (this.destroyed || content.length === 0 || this.push(Buffer.from(content))) return
    return this.untilRead()
  }
}
