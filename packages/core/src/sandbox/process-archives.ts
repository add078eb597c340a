import { once } from 'node:events'
import { basename, dirname } from 'node:path/posix'
import type { Readable, Writable } from 'node:stream'
import { errorMessage, FencedError } from '@fenced/errors'
import { onAbort } from '@fenced/shared'
import { inChunks, packScript, unpackScript } from './archive-scripts.ts'
import { archiveOf, type ScriptProcess } from './archive-stream.ts'
import { MarkedEnd } from './marked-end.ts'
import type { SandboxBackend } from './sandbox-backend.ts'

/** Backend methods that transfer archives. */
export type Archives = Required<Pick<SandboxBackend, 'put' | 'get'>>

/** Starts scripts in a sandbox, and explains failures. */
export interface ProcessArchivesParts {
  /** Starts an `sh` script with arguments. Its stdin starts with `input`. */
  start(script: readonly [string, ...string[]], options: StartScriptOptions): Promise<ScriptProcess>
  /**
   * Returns the error for a script that failed.
   *
   * @param words - The script's output, or `undefined` if the connection was lost.
   */
  failed(doing: string, words: string | undefined, cause?: unknown): Promise<Error>
}

/** Options for `start` in {@link ProcessArchivesParts}. */
interface StartScriptOptions {
  readonly signal: AbortSignal
  readonly input?: Buffer | undefined
}

/** Moves archives through processes that run `tar`. */
export class ProcessArchives implements Archives {
  readonly #parts: ProcessArchivesParts

  constructor(parts: ProcessArchivesParts) {
    this.#parts = parts
  }

  async put(
    directory: string,
    archive: Readable,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    const end = new MarkedEnd()
    const chunks = inChunks(archive, end.mark)
    const doing = `unpacking into ${directory}`
    let process: ScriptProcess | undefined
    using _ = onAbort(signal, () => {
      archive.destroy()
      process?.destroy()
    })
    try {
      signal.throwIfAborted()
      const { value: input } = await chunks.next()
      process = await this.#parts.start([unpackScript, directory, end.mark], { signal, input })
      const reading = end.read(process, () => {}).finally(() => archive.destroy())
      await writeAll(process.stdin, chunks, reading)
      const exitCode = await reading
      signal.throwIfAborted()
      if (exitCode !== 0) throw await this.#failed(doing, end, exitCode)
      process.done?.()
    } catch (cause) {
      signal.throwIfAborted()
      throw FencedError.isInstance(cause)
        ? cause
        : await this.#parts.failed(doing, errorMessage(cause), cause)
    } finally {
      process?.destroy()
    }
  }

  async get(path: string, { signal }: { readonly signal: AbortSignal }): Promise<Readable | undefined> {
    const end = new MarkedEnd()
    const words = [dirname(path), basename(path), end.mark]
    const process = await this.#parts.start([packScript, ...words], { signal })
    const fault = (exitCode: number | undefined) => this.#failed(`reading ${path}`, end, exitCode)
    return archiveOf(process, { end, signal, fault })
  }

  #failed(doing: string, { words }: MarkedEnd, exitCode: number | undefined): Promise<Error> {
    const said = words || (exitCode === undefined ? undefined : `exit code ${exitCode}`)
    return this.#parts.failed(doing, said)
  }
}

/** Writes until the reader has ended. A rest that the reader did not need is no fault. */
async function writeAll(
  stdin: Writable,
  chunks: AsyncIterable<Buffer>,
  reading: Promise<unknown>,
): Promise<void> {
  let hasEnded = false
  const ended = reading.then(() => {
    hasEnded = true
  })
  try {
    for await (const chunk of chunks) {
      if (!hasEnded && !stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), ended])
      if (hasEnded) break
    }
  } catch (error) {
    if (!hasEnded) throw error
  }
}
