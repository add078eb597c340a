import { randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import { types } from 'node:util'
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
import { inPieces, withProgress } from '@fenced/shared'
import { FileCommand, type FileCommandRequest, type FileFailure, fileRefused } from './file-command.ts'
import { FileContent } from './file-content.ts'
import { mostEntries, parseEntries, parseEntry } from './file-entries.ts'
import { FileEvents } from './file-events.ts'
import {
  listScript,
  makeDirectoryScript,
  removeScript,
  statScript,
  transferScripts,
  writeScripts,
} from './file-scripts.ts'

/** Parts of {@link ProcessFiles}. */
export interface ProcessFilesParts {
  /** The sandbox's `spawn` method, bound to the sandbox. */
  readonly spawn: Sandbox['spawn']
  /** The sandbox's working directory, used to resolve relative paths: an absolute path in the sandbox. */
  readonly directory: string
}

/**
 * Files of a sandbox that can only start processes: each call starts one or two. The processes need `/bin/sh`, `cat`, `chmod`,
 * `cp`, `mkdir`, `mv`, `readlink`, `rm` and `stat`, from coreutils or BusyBox, and have the same permissions as other processes in the sandbox.
 *
 * Failures reject with FencedError `FILE_REFUSED`, which gives the path and the reason. If the sandbox or the connection to it is
 * lost, they reject with `SANDBOX_GONE` or `ENGINE_LOST`; a `.fenced-*` file may then be left next to a file that was being
 * written.
 *
 * @example
 * const files = new ProcessFiles({ spawn: sandbox.spawn.bind(sandbox), directory: sandbox.directory })
 */
export class ProcessFiles implements SandboxFiles {
  readonly #spawn: Sandbox['spawn']
  readonly #directory: string

  constructor({ spawn, directory }: ProcessFilesParts) {
    this.#spawn = spawn
    this.#directory = directory
  }

  async read(path: string, options: ReadFileOptions = {}): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { onProgress, signal } = checkFilesOptions(options, { onProgress: true })
    const failure = failureOf(path, 'read')
    const request = { path: this.#resolve(path, failure), failure, signal }
    const content = await FileContent.open(this.#spawn, request)
    return content === undefined || onProgress === undefined ? content : withProgress(content, onProgress)
  }

  async write(
    path: string,
    content: Uint8Array | string | AsyncIterable<Uint8Array>,
    options: WriteFileOptions = {},
  ): Promise<void> {
    const { mode, onProgress, signal } = checkFilesOptions(options, { mode: true, onProgress: true })
    const reported = (pieces: AsyncIterable<Uint8Array>) =>
      onProgress === undefined ? pieces : withProgress(pieces, onProgress)
    const failure = failureOf(path, 'written')
    const target = this.#resolve(path, failure)
    const directory = posix.dirname(target)
    const temporary = posix.join(directory, `.fenced-${randomUUID()}`)
    if (typeof content === 'string' && !content.isWellFormed())
      throw fileRefused(failure, 'its content has half a surrogate pair, which UTF-8 cannot encode')
    const octal = mode === undefined ? '' : (mode & 0o7777).toString(8)
    const request = (script: string, bytes?: number) => ({
      ...{ script, failure, signal },
      args: [directory, temporary, target, `${bytes ?? ''}`, octal],
    })
    signal?.throwIfAborted()
    try {
      if (typeof content === 'string' || types.isUint8Array(content)) {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content
        await this.#feed(request(writeScripts.whole, bytes.length), reported(inPieces(bytes)))
      } else {
        const sent = await this.#feed(request(writeScripts.receive), reported(content))
        await this.#complete(request(writeScripts.commit, sent))
      }
    } catch (error) {
      await this.#discard(temporary, failure)
      throw error
    }
  }

  async stat(path: string, options: FilesOptions = {}): Promise<SandboxEntry | undefined> {
    const { signal } = checkFilesOptions(options)
    const text = await this.#print(statScript, { path, failure: failureOf(path, 'looked at'), signal })
    return text === undefined ? undefined : parseEntry(text)
  }

  async list(
    path: string,
    options: FilesOptions = {},
  ): Promise<ReadonlyMap<string, SandboxEntry> | undefined> {
    const { signal } = checkFilesOptions(options)
    const failure = failureOf(path, 'listed')
    const text = await this.#print(listScript, { path, failure, signal })
    if (text === undefined) return undefined
    const entries = parseEntries(text)
    if (entries === undefined) throw fileRefused(failure, tooMany)
    return entries
  }

  async watch(path: string, options: WatchFilesOptions = {}): Promise<FileWatch> {
    const { recursive = false, signal } = checkFilesOptions(options, { recursive: true })
    const failure = failureOf(path, 'watched')
    const target = this.#resolve(path, failure)
    const [base, name] = [posix.dirname(target), posix.basename(target)]
    return FileEvents.open(this.#spawn, { base, name, failure, recursive, signal })
  }

  async makeDirectory(path: string, options: FilesOptions = {}): Promise<void> {
    const { signal } = checkFilesOptions(options)
    const failure = failureOf(path, 'made')
    const args = [this.#resolve(path, failure)]
    await this.#complete({ script: makeDirectoryScript, args, failure, signal })
  }

  async remove(path: string, options: FilesOptions = {}): Promise<void> {
    const { signal } = checkFilesOptions(options)
    const failure = failureOf(path, 'removed')
    const target = this.#resolve(path, failure)
    if (isWithin(posix.resolve(this.#directory), target)) throw fileRefused(failure, hasDirectory)
    const command = await FileCommand.start(this.#spawn, {
      ...{ script: removeScript, args: [target], failure, signal },
    })
    await command.ended
  }

  async move(from: string, to: string, options: MoveFileOptions = {}): Promise<void> {
    const failure = failureOf(from, 'moved')
    if (isWithin(posix.resolve(this.#directory), this.#resolve(from, failure)))
      throw fileRefused(failure, hasDirectory)
    await this.#complete(this.#transfer('move', [from, to], options))
  }

  async copy(from: string, to: string, options: MoveFileOptions = {}): Promise<void> {
    const request = this.#transfer('copy', [from, to], options)
    try {
      await this.#complete(request)
    } catch (error) {
      await this.#discard(request.args[3] ?? '', request.failure)
      throw error
    }
  }

  #transfer(
    action: 'move' | 'copy',
    paths: readonly [string, string],
    options: MoveFileOptions,
  ): FileCommandRequest {
    const { overwrite = true, signal } = checkFilesOptions(options, { overwrite: true })
    const failure = failureOf(paths[0], action === 'move' ? 'moved' : 'copied')
    const [from, to] = paths.map((path) => this.#resolve(path, failure)) as [string, string]
    if (isWithin(to, from)) throw fileRefused(failure, 'it cannot be put into itself')
    const directory = posix.dirname(to)
    const temporary = posix.join(directory, `.fenced-${randomUUID()}`)
    const args = [directory, from, to, temporary, overwrite ? 'overwrite' : '']
    return { script: transferScripts[action], args, failure, signal }
  }

  /** What a script prints about a path; `undefined` when nothing is there. */
  async #print(
    script: string,
    { path, failure, signal }: { path: string; failure: FileFailure; signal: AbortSignal | undefined },
  ): Promise<string | undefined> {
    const printed = new Printed()
    const command = await FileCommand.start(this.#spawn, {
      ...{ script, args: [this.#resolve(path, failure)], failure, signal },
      onOutput: (chunk) => printed.add(chunk),
    })
    printed.onTooLong(() => command.kill())
    const end = await command.ended.catch((error: unknown) => {
      throw printed.isTooLong ? fileRefused(failure, tooLong) : error
    })
    if (printed.isTooLong) throw fileRefused(failure, tooLong)
    return end === 'missing' ? undefined : printed.text
  }

  async #complete(request: FileCommandRequest): Promise<void> {
    const command = await FileCommand.start(this.#spawn, request)
    await command.complete()
  }

  async #feed(request: FileCommandRequest, content: AsyncIterable<Uint8Array>): Promise<number> {
    const command = await FileCommand.start(this.#spawn, { ...request, hasInput: true })
    return command.feed(content)
  }

  /** What a write or a copy that failed may have left. Why it failed is what its caller needs to know, also when this fails. */
  async #discard(temporary: string, failure: FileFailure): Promise<void> {
    await this.#complete({ script: removeScript, args: [temporary], failure }).catch(() => {})
  }

  #resolve(path: string, failure: FileFailure): string {
    if (path.includes('\0')) throw fileRefused(failure, 'it contains a NUL')
    if (!path.isWellFormed()) throw fileRefused(failure, 'it cannot be encoded as UTF-8')
    return posix.resolve(this.#directory, path)
  }
}

const tooMany = `it has more than ${mostEntries} names, which is too many to list`

/** So long is what is said of {@link mostEntries} names of 255 bytes. */
const mostBytes = mostEntries * 320

const tooLong = `the sandbox sent more than ${mostBytes} bytes about it`

/** What a script has printed. Programs of the sandbox may print in its place, without end. */
class Printed {
  #chunks: Uint8Array[] = []
  #length = 0
  #stop = async (): Promise<void> => {}

  get isTooLong(): boolean {
    return this.#length > mostBytes
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  add(chunk: Uint8Array): void {
    if (this.isTooLong) return
    this.#length += chunk.length
    if (!this.isTooLong) this.#chunks.push(Buffer.from(chunk))
    else this.#end()
  }

  /** Calls back once, also when it is too long already. */
  onTooLong(stop: () => Promise<void>): void {
    this.#stop = stop
    if (this.isTooLong) this.#end()
  }

  #end(): void {
    this.#chunks = []
    // Its end says what went wrong.
    this.#stop().catch(() => {})
  }
}

type Verb = 'read' | 'written' | 'looked at' | 'listed' | 'made' | 'removed' | 'moved' | 'copied' | 'watched'

function failureOf(path: string, verb: Verb) {
  return { path, message: `${JSON.stringify(path)} cannot be ${verb}` }
}

const hasDirectory = 'the working directory is there'

/** Whether a path is another one or below it. Both are resolved. */
function isWithin(path: string, above: string): boolean {
  return above === '/' || `${path}/`.startsWith(`${above}/`)
}
