import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { isAbsolute } from 'node:path'
import type { OutputSink, ProcessEnd } from '@fenced/core/sandbox'
import { type StartedProcess, takePipe } from '@fenced/host'
import { provenMounts } from './opened-paths.ts'

/** How much of the first words of a failure is quoted, in bytes. */
const wordsLength = 500

/**
 * Reports whether bubblewrap has begun a command. The steps before can fail: the shell that enters a control group, the
 * program that changes owners, and bubblewrap. Their exit codes say nothing of the command, which has not run.
 */
export class StartReport implements Disposable {
  /** For bubblewrap. No program in the sandbox has it. */
  readonly descriptor: number
  #read: number | undefined
  #isWatched = false
  #words = Buffer.alloc(0)
  readonly #program: string
  readonly #problem: Unusable | undefined
  readonly #onNotBegun: () => void

  /**
   * @param program - the command's, as a path of this machine, which is its path in the sandbox too.
   * @param onNotBegun - called when there was no sandbox for it.
   */
  static async make(program: string, onNotBegun: () => void): Promise<StartReport> {
    return new StartReport(program, { pipe: await takePipe(), onNotBegun })
  }

  private constructor(
    program: string,
    {
      pipe,
      onNotBegun,
    }: { readonly pipe: Awaited<ReturnType<typeof takePipe>>; readonly onNotBegun: () => void },
  ) {
    this.#program = program
    this.#onNotBegun = onNotBegun
    this.#problem = problemOf(program)
    this.#read = pipe?.read
    this.descriptor = pipe?.write ?? openSync(devNull, 'w')
  }

  /** Passes output on to a sink, and remembers the beginning of stderr. */
  listen(sink: OutputSink): OutputSink {
    return (stream, chunk) => {
      const room = wordsLength - this.#words.length
      if (stream === 'stderr' && room > 0) this.#words = Buffer.concat([this.#words, chunk.subarray(0, room)])
      return sink(stream, chunk)
    }
  }

  /** Lets a process that bubblewrap was to begin end as `not-started` where it has not. */
  watch(process: StartedProcess): void {
    this.#isWatched = true
    const ended = process.ended.then((end) => this.#endOf(end)).finally(() => this.#close())
    // An unhandled error of a sink must not end this process.
    ended.catch(() => {})
    Object.assign(process, { ended })
  }

  /** Closes the end of the command, which has it. */
  [Symbol.dispose](): void {
    closeSync(this.descriptor)
    if (!this.#isWatched) this.#close()
  }

  #endOf(end: ProcessEnd): ProcessEnd {
    // Where a signal has ended bubblewrap it reports nothing.
    if (end.kind !== 'exited' || end.wasStopped || end.exitCode === 0 || end.exitCode >= signalCodes)
      return end
    // The program that changes the user begins before the command.
    if (this.#problem !== undefined && execFailures.includes(end.exitCode)) {
      const message = `${this.#program} could not be started: ${problems[this.#problem]}`
      return { kind: 'not-started', reason: this.#problem, message, data: { program: this.#program } }
    }
    if (this.#read === undefined || hasBegun(readNow(this.#read))) return end
    this.#onNotBegun()
    const why = `${this.#words}`.trim()
    const message = withoutSandbox(this.#program, why)
    const data = { program: this.#program, reason: why }
    return { kind: 'not-started', reason: 'not-executable', message, data }
  }

  #close(): void {
    if (this.#read !== undefined) closeSync(this.#read)
    this.#read = undefined
  }
}

type Unusable = 'not-found' | 'not-executable'

const problems: Readonly<Record<Unusable, string>> = {
  'not-found': 'it does not exist.',
  'not-executable': 'it cannot be executed.',
}

/** By these a program says that it could not become another program. */
const execFailures: readonly number[] = [1, 126, 127]

/** Why no program can be started from a path. A name without a directory is looked for in the sandbox. */
function problemOf(program: string): Unusable | undefined {
  if (!isAbsolute(program)) return undefined
  try {
    const stat = statSync(program, { throwIfNoEntry: false })
    if (stat === undefined) return 'not-found'
    accessSync(program, constants.X_OK)
    return stat.isFile() ? undefined : 'not-executable'
  } catch {
    return 'not-executable'
  }
}

/** Bubblewrap has begun the comparison of the mounts, which has begun the command. */
function hasBegun(report: string): boolean {
  return report.includes('"exit-code"') && report.includes(provenMounts)
}

/** Exit codes from here on are those of signals. */
const signalCodes = 128

function readNow(descriptor: number): string {
  const buffer = Buffer.alloc(4_096)
  try {
    return buffer.toString('latin1', 0, readSync(descriptor, buffer))
  } catch {
    // EAGAIN: nothing was written.
    return ''
  }
}

function withoutSandbox(program: string, words: string): string {
  const why = words.replace(/\.?$/, '.')
  return `The sandbox for ${program} could not be created, so nothing ran: ${why} Check that the working directory and the \`readable\` paths exist, and that their owner can enter them (\`chmod u+rwx\`).`
}
