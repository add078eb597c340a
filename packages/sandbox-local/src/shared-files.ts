import { posix } from 'node:path'
import { types } from 'node:util'
import { FencedError } from '@fenced/core'
import { FileRefusedError, type HostWorkDirectory } from '@fenced/core/driver'
import { checkFilesOptions } from '@fenced/core/internal'
import type {
  FilesOptions,
  FileWatch,
  MoveFileOptions,
  ReadFileOptions,
  Sandbox,
  SandboxEntry,
  SandboxFiles,
  WatchFilesOptions,
  WriteFileOptions,
} from '@fenced/core/sandbox'
import { FileEvents } from '@fenced/sandbox/driver'
import { inPieces, withProgress } from '@fenced/shared'

/**
 * The files of a sandbox whose working directory is a directory of this machine. Only entries below the directory are accessible. No
 * call follows a link, even if a program adds links meanwhile.
 */
export class SharedFiles implements SandboxFiles {
  readonly #directory: HostWorkDirectory
  readonly #spawn: Sandbox['spawn']

  /** @param spawn - starts a process of the sandbox. */
  constructor(directory: HostWorkDirectory, spawn: Sandbox['spawn']) {
    this.#directory = directory
    this.#spawn = spawn
  }

  async read(path: string, options: ReadFileOptions = {}): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { onProgress, signal } = checkFilesOptions(options, { onProgress: true })
    const file = await this.#below(path, (name) => this.#directory.openFile(name), { signal })
    const content = file?.createReadStream({ ...(signal === undefined ? {} : { signal }) })
    return content === undefined || onProgress === undefined ? content : withProgress(content, onProgress)
  }

  async write(
    path: string,
    content: Uint8Array | string | AsyncIterable<Uint8Array>,
    options: WriteFileOptions = {},
  ): Promise<void> {
    const { mode, onProgress, signal } = checkFilesOptions(options, { mode: true, onProgress: true })
    const reported = onProgress === undefined ? content : reportedTo(onProgress, content)
    const checked =
      typeof reported === 'string' || types.isUint8Array(reported) ? reported : untilAborted(reported, signal)
    await this.#below(path, (name) => this.#directory.write(name, checked, { mode }), { signal })
  }

  async stat(path: string, options: FilesOptions = {}): Promise<SandboxEntry | undefined> {
    const { signal } = checkFilesOptions(options)
    return this.#below(path, (name) => this.#directory.stat(name), { signal })
  }

  async list(
    path: string,
    options: FilesOptions = {},
  ): Promise<ReadonlyMap<string, SandboxEntry> | undefined> {
    const { signal } = checkFilesOptions(options)
    return this.#below(path, (name) => this.#directory.entries(name), { signal, orItself: true })
  }

  async makeDirectory(path: string, options: FilesOptions = {}): Promise<void> {
    const { signal } = checkFilesOptions(options)
    await this.#below(path, (name) => this.#directory.makeDirectory(name), { signal })
  }

  async remove(path: string, options: FilesOptions = {}): Promise<void> {
    const { signal } = checkFilesOptions(options)
    await this.#below(path, (name) => this.#directory.removeAll(name), { signal })
  }

  async move(from: string, to: string, options: MoveFileOptions = {}): Promise<void> {
    const { overwrite = true, signal } = checkFilesOptions(options, { overwrite: true })
    const move = (name: string, newName: string) => this.#directory.move(name, newName, { overwrite, signal })
    await this.#below(from, (name) => this.#below(to, (newName) => move(name, newName), { signal }), {
      signal,
    })
  }

  async copy(from: string, to: string, options: MoveFileOptions = {}): Promise<void> {
    const { overwrite = true, signal } = checkFilesOptions(options, { overwrite: true })
    const copy = (name: string, newName: string) => this.#directory.copy(name, newName, { overwrite, signal })
    await this.#below(from, (name) => this.#below(to, (newName) => copy(name, newName), { signal }), {
      signal,
    })
  }

  async watch(path: string, options: WatchFilesOptions = {}): Promise<FileWatch> {
    const { recursive = false, signal } = checkFilesOptions(options, { recursive: true })
    const failure = { path, message: `${JSON.stringify(path)} cannot be watched` }
    const base = this.#directory.path
    // By a process of the sandbox: even if it were led elsewhere, it would see no more than programs do.
    const open = (name: string) => FileEvents.open(this.#spawn, { base, name, failure, recursive, signal })
    return this.#below(path, open, { signal, orItself: true })
  }

  /** The name below the directory, which is empty for the directory itself. */
  async #below<Result>(
    path: string,
    act: (name: string) => Promise<Result>,
    { signal, orItself = false }: { signal: AbortSignal | undefined; orItself?: boolean },
  ): Promise<Result> {
    signal?.throwIfAborted()
    const root = this.#directory.path
    const name = posix.relative(root, posix.resolve(root, path))
    if (!path.isWellFormed())
      throw new FencedError({
        code: 'FILE_REFUSED',
        message: `${JSON.stringify(path)} cannot be encoded as UTF-8.`,
        data: { path },
      })
    const isOutside = name === '..' || name.startsWith('../') || path.includes('\0')
    if (isOutside)
      throw new FencedError({
        code: 'FILE_REFUSED',
        message: `${JSON.stringify(path)} is not below ${root}, the only accessible directory.`,
        data: { path, directory: root },
      })
    if (name === '' && !orItself)
      throw new FencedError({
        code: 'FILE_REFUSED',
        message: `${JSON.stringify(path)} is the working directory itself.`,
        data: { path },
      })
    try {
      return await act(name)
    } catch (error) {
      throw FileRefusedError.isInstance(error) ? refused(error) : error
    }
  }
}

/** A text that UTF-8 cannot encode is left to be refused. */
function reportedTo(
  onProgress: (bytes: number) => void,
  content: Uint8Array | string | AsyncIterable<Uint8Array>,
): string | AsyncIterable<Uint8Array> {
  if (typeof content === 'string' && !content.isWellFormed()) return content
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return withProgress(types.isUint8Array(bytes) ? inPieces(bytes) : bytes, onProgress)
}

function refused(cause: FileRefusedError): FencedError {
  const { message, data } = cause
  return new FencedError({ code: 'FILE_REFUSED', message, data, cause })
}

async function* untilAborted(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    signal?.throwIfAborted()
    yield chunk
  }
}
