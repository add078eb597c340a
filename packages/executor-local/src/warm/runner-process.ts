import { FencedError } from '@fenced/core'
import { type Environment, type Interpreter, orAfter, ResidentProcess } from '@fenced/host'
import {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  runnerCommand,
} from '@fenced/python-runner'

/** What a runner is started from. */
export interface RunnerPlace {
  readonly interpreter: Interpreter
  readonly env: Environment
  readonly preload: readonly string[]
}

/** How long it may take to end what its programs left, in milliseconds. */
const endGraceMs = 3_000

/** A runner on this machine. It keeps this process going only while it runs a program. */
export class RunnerProcess {
  readonly #process: ResidentProcess
  readonly #runner: PythonRunner

  /**
   * @throws FencedError `RUNNER_UNSUPPORTED` where this Python cannot do it, `PRELOAD_FAILED`; the reason of the signal.
   * Nothing is left running then.
   */
  static async start(
    { interpreter, env, preload }: RunnerPlace,
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
      throw FencedError.isInstance(error) && error.code === 'RUNNER_DIED'
        ? diedEarly(process.lastWords, preload)
        : error
    }
  }

  private constructor(process: ResidentProcess, runner: PythonRunner) {
    this.#process = process
    this.#runner = runner
  }

  get isUsable(): boolean {
    return this.#runner.isUsable
  }

  /** The end of what it wrote to stderr itself. */
  get lastWords(): string {
    return this.#process.lastWords
  }

  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    this.#process.setKeepsUs(true)
    try {
      return await this.#runner.run(program, io)
    } finally {
      this.#process.setKeepsUs(false)
    }
  }

  /** Ends it, and everything that its programs left. */
  async end(): Promise<void> {
    this.#process.setKeepsUs(true)
    this.#runner.stop()
    // Only itself it finds also what fled from it and cleared its environment.
    await orAfter(this.#process.exited, endGraceMs)
    await this.#process.kill()
  }
}

function diedEarly(lastWords: string, preload: readonly string[]): FencedError {
  const words = lastWords === '' ? '' : ` Its last words: ${lastWords.slice(-2_000)}`
  return preload.length === 0
    ? new FencedError({ code: 'RUNNER_UNSUPPORTED', message: `This Python ended at once.${words}` })
    : new FencedError({
        code: 'PRELOAD_FAILED',
        message: `Python ended while it imported what \`preload\` names (${preload.join(', ')}). Leave out what cannot be imported.${words}`,
      })
}
