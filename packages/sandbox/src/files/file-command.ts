import type { Writable } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { ProcessEnd, Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import { TextTail } from '@fenced/shared'
import { lossOf } from '../sandbox-errors.ts'
import { cutShort, nothingThere } from './file-scripts.ts'

/** What an error says of a script that failed: the path, as the caller gave it, and `"/a/b" cannot be read`. */
export interface FileFailure {
  readonly path: string
  readonly message: string
}

/** What a script is to do. */
export interface FileCommandRequest {
  readonly script: string
  readonly args: readonly string[]
  readonly failure: FileFailure
  readonly signal?: AbortSignal | undefined
  /** Whether {@link FileCommand.feed} is called. */
  readonly hasInput?: boolean
  /** As an `OutputSink`, for stdout. */
  readonly onOutput?: (chunk: Uint8Array) => void | Promise<void>
}

/** How much of its words are kept, in UTF-16 code units. */
const wordsLength = 8_192

const onlyAPart = 'only a part of its content arrived'

/** A script that works on files, as a process in the sandbox. */
export class FileCommand {
  /**
   * Resolves when it has ended: `missing` when nothing was there to work on. Rejects with the signal's reason, or with a
   * FencedError `FILE_REFUSED`, `SANDBOX_GONE`, `ENGINE_LOST`.
   */
  readonly ended: Promise<'done' | 'missing'>
  readonly #process: SandboxProcess
  readonly #request: FileCommandRequest
  readonly #words: TextTail
  #lastReason = ''
  #hasEnded = false
  /** Wakes what waits for the sender or for room. */
  #onEnd = () => {}

  /** Rejects with what `spawn` does. */
  static async start(spawn: Sandbox['spawn'], request: FileCommandRequest): Promise<FileCommand> {
    const { script, args, signal, hasInput = false, onOutput } = request
    signal?.throwIfAborted()
    // Output can come before `spawn` has resolved.
    const words = new TextTail(wordsLength)
    const process = await spawn(['/bin/sh', '-c', script, 'sh', ...args], {
      cwd: '/',
      // Messages are read, and names are bytes.
      env: { LC_ALL: 'C' },
      stdin: hasInput ? 'open' : 'none',
      signal,
      output: (stream, chunk) => (stream === 'stdout' ? onOutput?.(chunk) : void words.push(chunk)),
    })
    return new FileCommand(process, request, words)
  }

  private constructor(process: SandboxProcess, request: FileCommandRequest, words: TextTail) {
    this.#process = process
    this.#request = request
    this.#words = words
    process.stdin?.on('error', () => this.#onEnd())
    this.ended = this.#end()
    this.ended.catch(() => {})
  }

  /**
   * Sends its stdin, and waits for its end. What `content` throws ends it, and is what this rejects with.
   *
   * @returns how many bytes were sent.
   */
  async feed(content: AsyncIterable<Uint8Array>): Promise<number> {
    const { stdin } = this.#process
    const sent = stdin === undefined ? undefined : await this.#send(content, stdin)
    await this.complete()
    if (sent === undefined) throw this.#refused(onlyAPart)
    return sent
  }

  /** Waits for its end where something must be there to work on. */
  async complete(): Promise<void> {
    if ((await this.ended) === 'missing') throw this.#refused(this.#lastReason)
  }

  async kill(): Promise<void> {
    if (!this.#hasEnded) await this.#process.kill()
  }

  /** `undefined` when it ended before it had taken everything. */
  async #send(content: AsyncIterable<Uint8Array>, stdin: Writable): Promise<number | undefined> {
    const pieces = content[Symbol.asyncIterator]()
    let sent = 0
    try {
      for (;;) {
        const piece = await this.#orEnd(pieces.next())
        if (piece === undefined) break
        if (piece.done) {
          stdin.end()
          return sent
        }
        sent += piece.value.length
        if (stdin.write(piece.value)) continue
        await this.#orEnd(new Promise((resolve) => stdin.once('drain', resolve)))
      }
    } catch (error) {
      await this.kill()
      throw error
    }
    // It may never answer.
    void pieces.return?.()?.then(undefined, () => {})
    return undefined
  }

  /** `undefined` when the process no longer reads. */
  #orEnd<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    const { promise: ended, resolve } = Promise.withResolvers<undefined>()
    this.#onEnd = () => resolve(undefined)
    if (this.#hasEnded || this.#process.stdin?.destroyed) resolve(undefined)
    return Promise.race([promise, ended])
  }

  async #end(): Promise<'done' | 'missing'> {
    const end = await this.#process.ended
    this.#hasEnded = true
    this.#onEnd()
    if (end.kind === 'exited' && end.exitCode === 0) return 'done'
    this.#request.signal?.throwIfAborted()
    if (end.kind === 'exited' && end.exitCode === nothingThere) return 'missing'
    const loss = lossOf(end, `a file was reached (${this.#request.failure.message})`)
    if (loss !== undefined) throw loss
    this.#lastReason = this.#reason(end)
    if (/^(No such file or directory|Not a directory)$/.test(this.#lastReason)) return 'missing'
    throw this.#refused(this.#lastReason)
  }

  #reason(end: ProcessEnd): string {
    if (end.kind === 'not-started') return `/bin/sh, which is needed for it, does not start (${end.message})`
    if (end.kind !== 'exited') return end.message
    if (end.outOfMemory) return 'the sandbox had no memory left'
    if (end.exitCode === cutShort) return onlyAPart
    const line = this.#words.text.trimEnd().split('\n').at(-1) ?? ''
    // The line begins with the name of the tool and the path. After a missing command, the name is the only information.
    const reason = end.exitCode === 126 || end.exitCode === 127 ? line : line.split(': ').at(-1)
    return reason || `its process ended with exit code ${end.exitCode}`
  }

  #refused(reason: string): FencedError {
    return fileRefused(this.#request.failure, reason)
  }
}

/** The error for a file that cannot be reached, with the reason. */
export function fileRefused({ path, message }: FileFailure, reason: string): FencedError {
  return new FencedError({ code: 'FILE_REFUSED', message: `${message}: ${reason}.`, data: { path, reason } })
}
