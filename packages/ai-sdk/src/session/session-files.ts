import { posix } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { types } from 'node:util'
import { FencedError } from '@fenced/core'
import type { ExecutorSandbox, SandboxFiles } from '@fenced/core/sandbox'
import { ProcessFiles } from '@fenced/sandbox'
import type { DirectoryEntry, FileStat } from '../ai-sdk.ts'
import { EntryLookups } from './entry-lookups.ts'
import { type FileLookups, FileScripts } from './file-scripts.ts'
import { invalidArgument, notADirectory, notAFile } from './sandbox-error.ts'
import type { FilesByPath, PathCall } from './whole-files.ts'

/**
 * The files of a session, as its commands see them: links, mounts and rights mean what they mean to a command, because it is
 * processes of the sandbox that reach the files. In a sandbox that asks, its own files are used instead, which follow no link.
 */
export class SessionFiles implements FilesByPath {
  readonly #directory: string
  readonly #files: SandboxFiles
  readonly #lookups: FileLookups

  constructor(sandbox: ExecutorSandbox) {
    const spawn = sandbox.spawn.bind(sandbox)
    const { directory, capabilities } = sandbox
    // Where processes are asked about, each process that reaches a file would be a question.
    const asks = capabilities.asks === true
    this.#directory = directory
    this.#files = asks ? sandbox.files : new ProcessFiles({ spawn, directory })
    this.#lookups = asks ? new EntryLookups(sandbox) : new FileScripts(spawn)
  }

  async read({ path, abortSignal: signal }: PathCall): Promise<globalThis.ReadableStream<Uint8Array> | null> {
    const at = this.#resolve(path)
    let content = await this.#files.read(at, { signal })
    if (content === undefined) {
      const found = await this.#lookups.stat(at, signal)
      if (found.type === 'missing') return null
      if (found.type !== 'file') throw notAFile(path)
      content = await this.#files.read(found.target ?? at, { signal })
      if (content === undefined) return null
    }
    return untilAborted(ReadableStream.from(content) as globalThis.ReadableStream<Uint8Array>, signal)
  }

  /** Writes through a link, as a command does. */
  async write(
    content: Uint8Array | globalThis.ReadableStream<Uint8Array>,
    { path, abortSignal: signal }: PathCall,
  ): Promise<void> {
    const at = this.#resolve(path)
    try {
      const found = await this.#lookups.stat(at, signal)
      if (found.type === 'directory' || found.type === 'other') throw notAFile(path)
      if (found.type === 'missing' && found.isLink && found.target === undefined) throw leadsNowhere(path)
      signal?.throwIfAborted()
      const body = types.isUint8Array(content) ? content : piecesOf(content, signal)
      await this.#files.write(found.target ?? at, body, { signal })
    } catch (error) {
      if (!types.isUint8Array(content) && !content.locked) await content.cancel(error).catch(() => {})
      throw error
    }
  }

  async stat({ path, abortSignal }: PathCall): Promise<FileStat | null> {
    const found = await this.#lookups.stat(this.#resolve(path), abortSignal)
    return found.type === 'missing' ? null : { type: found.type, size: found.size }
  }

  async list({ path, abortSignal: signal }: PathCall): Promise<DirectoryEntry[] | null> {
    const at = this.#resolve(path)
    let entries = await this.#files.list(at, { signal })
    if (entries === undefined) {
      const found = await this.#lookups.stat(at, signal)
      if (found.type === 'missing') return null
      if (found.type !== 'directory') throw notADirectory(path)
      entries = await this.#files.list(found.target ?? at, { signal })
      if (entries === undefined) return null
    }
    return [...entries].map(([name, { kind }]) => ({ name, type: kind === 'link' ? 'symlink' : kind }))
  }

  /** A link itself is deleted, not where it leads. */
  async delete({ path, abortSignal }: PathCall): Promise<boolean> {
    const answer = await this.#lookups.delete(this.#resolve(path), abortSignal)
    if (answer === 'directory') throw notAFile(path)
    return answer === 'deleted'
  }

  #resolve(path: string): string {
    if (path.includes('\0') || !path.isWellFormed())
      throw invalidArgument(
        `${JSON.stringify(path)} is not a path: it contains a NUL, or cannot be encoded as UTF-8.`,
        { path },
      )
    return posix.resolve(this.#directory, path)
  }
}

/** Returns the same bytes. When the signal is aborted, the reader gets its reason. */
function untilAborted(
  stream: globalThis.ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): globalThis.ReadableStream<Uint8Array> {
  if (signal === undefined) return stream
  return stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal })
}

/** When the signal is aborted the source is cancelled with its reason, also while it is waited for. */
function piecesOf(
  content: globalThis.ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const reader = content.getReader()
  const cancel = async () => {
    signal?.removeEventListener('abort', cancel)
    await reader.cancel(signal?.reason)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  const end = async () => {
    await cancel()
    return { done: true, value: undefined } as const
  }
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await reader.read()
        return done ? end() : { done: false, value }
      },
      return: end,
    }),
  }
}

function leadsNowhere(path: string): FencedError {
  const message = `${JSON.stringify(path)} cannot be written: it is a broken link.`
  return new FencedError({ code: 'FILE_REFUSED', message, data: { path } })
}
