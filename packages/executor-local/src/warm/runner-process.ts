import type { Notice } from '@fenced/core'
import { type Environment, type Interpreter, orAfter, ResidentProcess } from '@fenced/host'
import {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  quoteLastWords,
  type ResidentRunner,
  runnerCommand,
  startFailure,
} from '@fenced/python-runner'

/** What a runner is started from. */
export interface RunnerPlace {
  readonly interpreter: Interpreter
  readonly env: Environment
}

/** How long it may take to end what its programs left, in milliseconds. */
const endGraceMs = 3_000

/** The same for one that did not answer any more. */
const silentGraceMs = 250

/** How often one that is to end a program is continued, in milliseconds. */
const continueEveryMs = 100

/** A runner on this machine. It keeps this process going only while it runs a program. */
export class RunnerProcess implements ResidentRunner<RunnerPlace> {
  readonly #process: ResidentProcess
  readonly #runner: PythonRunner

  /** See `StartRunner`. */
  static async start(
    { interpreter, env }: RunnerPlace,
    preload: readonly string[],
    signal?: AbortSignal,
  ): Promise<RunnerProcess> {
    const command = runnerCommand(interpreter.command, preload) as [string, ...string[]]
    // Not in the working directory, which may go and come again.
    const process = new ResidentProcess({
      command,
      cwd: '/',
      env,
      stdin: true,
      stdout: true,
      endsWithStdin: true,
    })
    const { input, output } = process
    try {
      if (input === null || output === null) throw new Error('The process has no streams.')
      const runner = await PythonRunner.start({ input, output, ...(signal === undefined ? {} : { signal }) })
      process.setKeepsUs(false)
      return new RunnerProcess(process, runner)
    } catch (error) {
      await process.kill()
      throw startFailure(error, preload, process.lastWords)
    }
  }

  private constructor(process: ResidentProcess, runner: PythonRunner) {
    this.#process = process
    this.#runner = runner
  }

  isUsableIn(): boolean {
    return this.#runner.isUsable
  }

  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    this.#process.setKeepsUs(true)
    let timer: NodeJS.Timeout | undefined
    const keepGoing = () => {
      this.#continue()
      timer = setTimeout(keepGoing, continueEveryMs)
    }
    io.signal.addEventListener('abort', keepGoing, { once: true })
    try {
      return await this.#runner.run(program, io)
    } finally {
      clearTimeout(timer)
      io.signal.removeEventListener('abort', keepGoing)
      this.#process.setKeepsUs(false)
    }
  }

  async explainLoss(): Promise<Notice> {
    const loss = this.#runner.isSilent ? 'did not answer any more and was ended' : 'ended'
    return {
      code: 'died',
      message: `The Python that runs blocks as forks of itself ${loss}, and this block with it.${quoteLastWords(this.#process.lastWords)} The next block gets a new one.`,
    }
  }

  async end(): Promise<void> {
    this.#process.setKeepsUs(true)
    const graceMs = this.#runner.isSilent ? silentGraceMs : endGraceMs
    this.#runner.stop()
    this.#continue()
    // Only itself it finds also what fled from it and cleared its environment.
    await orAfter(this.#process.exited, graceMs)
    await this.#process.kill()
  }

  /** A program can stop it (SIGSTOP), as every process of its user, and it could end nothing then. */
  #continue(): void {
    this.#process.signal('SIGCONT')
  }
}
