import type { Writable } from 'node:stream'
import { exitCodes, type Notice } from '@fenced/core'
import { noticeOf } from '@fenced/core/internal'
import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import { raceGrace, TextTail } from '@fenced/shared'
import { runnerCommand } from '../runner-command.ts'
import { lossOf } from '../sandbox-errors.ts'
import type { CompiledPrograms } from './compiled-programs.ts'
import {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  type PythonRunnerOptions,
} from './python-runner.ts'
import type { SharedPythons } from './shared-pythons.ts'
import { quoteStderr, startFailure } from './start-failure.ts'

/** The sandbox of a resident Python, and the command of its interpreter. */
export interface ResidentPythonTarget {
  readonly sandbox: Sandbox
  readonly python: readonly [string, ...string[]]
  /** Provides resident Pythons that share an interpreter with other sandboxes. */
  readonly shared?: SharedPythons | undefined
  /** Provides bytecode that its interpreter has compiled before. */
  readonly compiled?: CompiledPrograms | undefined
}

/** A resident Python whose streams belong to the caller. */
export interface ReleasedPython extends Pick<PythonRunnerOptions, 'input' | 'output'> {
  readonly process: SandboxProcess
  /** Returns its last output on stderr. */
  readonly words: () => string
}

/** Time limit for ending the remaining processes of programs, in milliseconds. */
const endGraceMs = 3_000
/** The same limit for a resident Python that did not answer, in milliseconds. */
const silentGraceMs = 250
/** Time limit for finding out how the process of a resident Python ended, in milliseconds. */
const lossMs = 2_000
/** Interval of SIGCONT while a program is being ended, in milliseconds. */
const continueEveryMs = 100
/** Maximum length of the kept stderr, in UTF-16 code units. */
const wordsLength = 8_192

/** The resident Python of a sandbox. It keeps this Node process running only while it runs a program. */
export class ResidentPython {
  readonly #process: SandboxProcess
  readonly #words: () => string
  readonly #runner: PythonRunner
  /** The incarnation of its sandbox. */
  readonly #incarnation: string | undefined
  /** Whether a process was killed for lack of memory. From then on, the end of the resident Python would also report that. */
  #hasRunOut = false

  /**
   * Starts a resident Python and imports the modules. Leaves no process running when it throws.
   *
   * @throws FencedError what `PythonRunner.start` and `spawn` of the sandbox throw.
   */
  static async start(
    { sandbox, python, shared }: ResidentPythonTarget,
    preload: readonly string[],
    signal?: AbortSignal,
  ): Promise<ResidentPython> {
    const incarnation = sandbox.id
    const fork = await shared?.get({ python, preload }, signal)
    if (fork !== undefined) {
      fork.unref()
      const runner = PythonRunner.of({ input: fork.stdin as Writable, output: fork.stdout })
      return new ResidentPython({ process: fork, words: () => '', runner, incarnation })
    }
    const command = runnerCommand(python, preload) as [string, ...string[]]
    // Not in the working directory, which may be removed and created again.
    const process = await sandbox.spawn(command, { cwd: '/', stdin: 'open', reapsOrphans: true })
    const words = new TextTail(wordsLength)
    process.stderr.on('data', (chunk: Uint8Array) => words.push(chunk))
    try {
      const { stdin: input, stdout: output, privatePaths = [] } = process
      if (input === undefined) throw new Error('The sandbox gave a process no stdin.')
      const parts = { input, output, privatePaths }
      const runner = await PythonRunner.start({ ...parts, ...(signal === undefined ? {} : { signal }) })
      process.unref()
      return new ResidentPython({ process, words: () => words.text.trim(), runner, incarnation })
    } catch (error) {
      await process.kill()
      // The sandbox or the connection to it may have ended instead of the resident Python.
      throw (
        lossOf(await process.ended, 'Python was started') ?? startFailure(error, preload, words.text.trim())
      )
    }
  }

  private constructor(parts: {
    process: SandboxProcess
    words: () => string
    runner: PythonRunner
    incarnation: string | undefined
  }) {
    this.#process = parts.process
    this.#words = parts.words
    this.#runner = parts.runner
    this.#incarnation = parts.incarnation
  }

  /** Whether it runs, and belongs to the current incarnation of the sandbox. */
  isThereIn({ sandbox }: Pick<ResidentPythonTarget, 'sandbox'>): boolean {
    return sandbox.id === this.#incarnation && !this.#hasRunOut && this.#runner.isUsable
  }

  /** Whether it can run another program, and has the settings that a new one would have. */
  async isUsableIn(target: Pick<ResidentPythonTarget, 'sandbox'>): Promise<boolean> {
    if (!this.isThereIn(target)) return false
    return (await this.#process.isOutdated?.()) !== true
  }

  /** Hands over its process and streams to a caller that runs no programs in it, and must end the process. */
  release(): ReleasedPython {
    return { process: this.#process, words: this.#words, ...this.#runner.release() }
  }

  /** See `PythonRunner.run`. */
  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    const killsBefore = await this.#process.outOfMemoryKills?.()
    this.#process.ref()
    let timer: NodeJS.Timeout | undefined
    const keepGoing = () => {
      this.#continue()
      timer = setTimeout(keepGoing, continueEveryMs)
    }
    io.signal.addEventListener('abort', keepGoing, { once: true })
    try {
      const end = await this.#runner.run(program, io)
      const killsAfter = await this.#process.outOfMemoryKills?.()
      this.#hasRunOut = killsAfter !== killsBefore
      if (!this.#hasRunOut) return end
      if (!io.signal.aborted && (await this.#wasOutOfMemory(end, killsAfter)))
        return { exitCode: exitCodes.killed, outOfMemory: true }
      return withMemoryKills(end, (killsAfter ?? 0) - (killsBefore ?? 0))
    } finally {
      clearTimeout(timer)
      io.signal.removeEventListener('abort', keepGoing)
      this.#process.unref()
    }
  }

  /** Returns why a program `died`, for a reader of the result. */
  async explainLoss(): Promise<Notice> {
    // A connection that was cut is seen by both.
    const end = this.#runner.isSilent ? 'late' : await raceGrace(this.#process.ended, lossMs)
    if (end !== 'late' && end.kind === 'lost') return noticeOf('died', end)
    const loss = this.#runner.isSilent ? 'stopped answering and was ended' : 'ended'
    return {
      code: 'died',
      message: `The resident Python ${loss}. This block ended with it.${quoteStderr(this.#words())} The next block gets a new Python.`,
    }
  }

  /** Ends the resident Python, and the remaining processes of its programs. */
  async end(): Promise<void> {
    this.#process.ref()
    const graceMs = this.#runner.isSilent ? silentGraceMs : endGraceMs
    this.#runner.stop()
    this.#continue()
    // Only the resident Python finds processes that left its session and cleared their environment.
    await raceGrace(this.#process.exited, graceMs)
    await this.#process.kill()
  }

  /** Whether a lack of memory ended the program, and not only another process. */
  async #wasOutOfMemory(end: ProgramEnd, killsAfter: number | undefined): Promise<boolean> {
    if (end !== 'died')
      return typeof end === 'object' && 'exitCode' in end && end.exitCode === exitCodes.killed
    if (killsAfter !== undefined) return true
    const ended = await raceGrace(this.#process.ended, endGraceMs)
    return ended !== 'late' && ended.kind === 'exited' && ended.outOfMemory === true
  }

  /** A program can stop the resident Python (SIGSTOP), like every process of its user. It could not end programs then. */
  #continue(): void {
    void this.#process.signal('SIGCONT')
  }
}

function withMemoryKills(end: ProgramEnd, memoryKills: number): ProgramEnd {
  return typeof end === 'object' && 'exitCode' in end && memoryKills > 0 ? { ...end, memoryKills } : end
}
