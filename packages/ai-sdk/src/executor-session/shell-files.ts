import { type FileHandle, stat } from 'node:fs/promises'
import { types } from 'node:util'
import type { ApprovalFile, CodeExecutor } from '@fenced/core'
import { HostWorkDirectory } from '@fenced/core/driver'
import { asksForApproval, temporaryFileName } from '@fenced/core/internal'
import type { DirectoryEntry, FileStat } from '../ai-sdk.ts'
import { contentOf, untilAborted } from '../session/byte-stream.ts'
import { fileFailed, notADirectory, notAFile } from '../session/sandbox-error.ts'
import type { FilesByPath, PathCall } from '../session/whole-files.ts'
import { describeContent } from './describe-content.ts'
import { deleteScript, listScript, readScript, refusals, statScript, writeScript } from './file-scripts.ts'
import { runShell } from './run-shell.ts'

/** A larger directory is not listed: a program can fill one without end. */
const mostEntries = 100_000
/** So long is what is said of {@link mostEntries} names of 255 bytes. */
const mostBytes = mostEntries * 257

export interface ShellFilesParts {
  readonly executor: CodeExecutor
  readonly workDir: string
  readonly timeoutMs: number | undefined
}

/**
 * The files of an executor as its own programs see them, with every link, mount and right that holds there. Each call is a
 * shell program, and content and answers go by a file of the working directory that is there for a moment: output is
 * text, bounded and redacted, and a file is none of these.
 */
export class ShellFiles implements FilesByPath {
  readonly #parts: ShellFilesParts
  readonly #directory: HostWorkDirectory

  constructor(parts: ShellFilesParts) {
    this.#parts = parts
    this.#directory = new HostWorkDirectory({ path: parts.workDir })
  }

  /**
   * Reads a regular file of the working directory from the host, even while a command runs; `null` if there is no such file. Never
   * follows a link, whose target differs for programs.
   */
  async read(call: PathCall): Promise<ReadableStream<Uint8Array> | null> {
    call.abortSignal?.throwIfAborted()
    // Programs of the executor can read the file, or report the reason.
    const opened = await this.#directory.openFile(call.path.replace(/^(\.\/)+/, '')).catch(() => undefined)
    const file = opened ?? (await this.#answer('Reading', readScript, call))
    return file && contentOf(file, call.abortSignal)
  }

  async write(given: Uint8Array | ReadableStream<Uint8Array>, call: PathCall): Promise<void> {
    const content = types.isUint8Array(given) ? given : untilAborted(given, call.abortSignal)
    call.abortSignal?.throwIfAborted()
    await this.#withTransfer(async (transfer) => {
      const script = writeScript(call.path, transfer)
      await this.makeReady(call.abortSignal)
      await this.#directory.write(transfer, content)
      await this.#ask('Writing', script, call, await this.#shown(transfer, call.path))
    })
  }

  async stat(call: PathCall): Promise<FileStat | null> {
    await using answer = await this.#answer('Looking at', statScript, call)
    if (answer === null) return null
    const [, mark = '', size = ''] = /^(\S)\S* (\d*)/.exec(await textOf(answer, 'Looking at', call)) ?? []
    const type = typeOf(mark)
    return { type, size: type === 'other' ? 0 : Number(size) }
  }

  async list(call: PathCall): Promise<DirectoryEntry[] | null> {
    await using answer = await this.#answer('Listing', listScript, call)
    if (answer === null) return null
    const entries = (await textOf(answer, 'Listing', call)).split('\0', mostEntries + 2).slice(0, -1)
    if (entries.length > mostEntries)
      throw fileFailed(
        'Listing',
        call.path,
        `it has more than ${mostEntries} names, which is too many to list.`,
      )
    return entries.map((entry) => ({
      name: entry.slice(1),
      type: entry.startsWith('l') ? 'symlink' : typeOf(entry.charAt(0)),
    }))
  }

  async delete(call: PathCall): Promise<boolean> {
    return this.#ask('Deleting', deleteScript(call.path), call)
  }

  /** Makes sure that the working directory is there: a temporary one is made by the first block. */
  async makeReady(signal: AbortSignal | undefined): Promise<void> {
    const { executor, workDir, timeoutMs } = this.#parts
    const isThere = await stat(workDir).catch(() => undefined)
    if (isThere === undefined) await runShell(executor, ':', { signal, timeoutMs })
  }

  /** What a program writes into the transfer file; `null` when it says that nothing stands under the name. */
  async #answer(doing: string, script: TransferScript, call: PathCall): Promise<FileHandle | null> {
    return this.#withTransfer(async (transfer) => {
      if (!(await this.#ask(doing, script(call.path, transfer), call))) return null
      const file = await this.#directory.openFile(transfer)
      if (file === undefined) throw fileFailed(doing, call.path, 'the executor did not return the answer')
      return file
    })
  }

  /** Whether something stands under the name. */
  async #ask(
    doing: string,
    script: string,
    { path, abortSignal }: PathCall,
    files?: readonly ApprovalFile[],
  ): Promise<boolean> {
    const { executor, timeoutMs } = this.#parts
    const { exitCode, stderr } = await runShell(executor, script, { signal: abortSignal, timeoutMs, files })
    if (exitCode === 0) return true
    if (exitCode === refusals.missing) return false
    if (exitCode === refusals.notAFile) throw notAFile(path)
    if (exitCode === refusals.notADirectory) throw notADirectory(path)
    throw fileFailed(doing, path, stderr)
  }

  /** Content of the transfer file, for the question before a write. */
  async #shown(transfer: string, path: string): Promise<ApprovalFile[]> {
    if (!asksForApproval(this.#parts.executor)) return []
    await using file = await this.#directory.openFile(transfer)
    if (file === undefined) throw fileFailed('Writing', path, 'its content is not there any more')
    return [await describeContent(file, path)]
  }

  async #withTransfer<Result>(work: (transfer: string) => Promise<Result>): Promise<Result> {
    const transfer = temporaryFileName('tmp')
    try {
      return await work(transfer)
    } finally {
      // What is open stays readable without its name.
      await this.#directory.remove(transfer).catch(() => {})
    }
  }
}

/** An answer as a text. Programs may write in its place, without end. */
async function textOf(answer: FileHandle, doing: string, { path }: PathCall): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer.createReadStream({ end: mostBytes, autoClose: false })) {
    length += chunk.length
    chunks.push(chunk)
  }
  if (length > mostBytes) throw fileFailed(doing, path, `the answer has more than ${mostBytes} bytes.`)
  return Buffer.concat(chunks).toString()
}

type TransferScript = (path: string, transfer: string) => string

/** By the first letter of what `ls -l` says about a file. */
function typeOf(mark: string): FileStat['type'] {
  return mark === '-' ? 'file' : mark === 'd' ? 'directory' : 'other'
}
