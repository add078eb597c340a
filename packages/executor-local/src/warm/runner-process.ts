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
    try {
      return await this.#runner.run(program, io)
    } finally {
      this.#process.setKeepsUs(false)
    }
  }

  async explainLoss(): Promise<Notice> {
    return {
      code: 'died',
      message: `The Python that runs blocks as forks of itself ended, and this block with it.${quoteLastWords(this.#process.lastWords)} The next block gets a new one.`,
    }
  }

  async end(): Promise<void> {
    this.#process.setKeepsUs(true)
    this.#runner.stop()
    // Only itself it finds also what fled from it and cleared its environment.
    await orAfter(this.#process.exited, endGraceMs)
    await this.#process.kill()
  }
}
