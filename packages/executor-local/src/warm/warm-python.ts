import { type BlockIo, type BlockOutcome, exitCodes, FencedError, type Notice } from '@fenced/core'
import type { Program, ProgramEnd } from '@fenced/python-runner'
import { type RunnerPlace, RunnerProcess } from './runner-process.ts'

/**
 * The runner of an executor's Python blocks, which is started when it is needed and made anew when it is gone. Where
 * there can be none, blocks are left to whoever starts an interpreter for each.
 */
export class WarmPython {
  readonly #preload: readonly string[]
  #runner: RunnerProcess | undefined
  /** Why there can be none. */
  #problem: string | undefined
  #isProblemTold = false

  /** @param problem - why there can be none, where that is known beforehand. */
  constructor(preload: readonly string[], problem: string | undefined) {
    this.#preload = preload
    this.#problem = problem
  }

  /** Whether it has to be there before the first block. */
  get hasPreload(): boolean {
    return this.#preload.length > 0
  }

  /**
   * Starts a runner unless there is one, or there can be none.
   *
   * @throws FencedError `PRELOAD_FAILED`; the reason of the signal.
   */
  async prepare(place: Omit<RunnerPlace, 'preload'>, signal?: AbortSignal): Promise<void> {
    if (this.#problem !== undefined || this.#runner?.isUsable === true) return
    await this.end()
    try {
      this.#runner = await RunnerProcess.start({ ...place, preload: this.#preload }, signal)
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'RUNNER_UNSUPPORTED') throw error
      this.#problem = error.message
    }
  }

  /** Says why there is no runner, if that is so and was not said before. */
  tellProblem(notice: (notice: Notice) => void): void {
    if (this.#problem === undefined || this.#isProblemTold) return
    this.#isProblemTold = true
    notice({
      code: 'not-warm',
      message: `\`warm\` has no effect here, and every Python block starts an interpreter: ${this.#problem}`,
    })
  }

  /** Runs a block; `undefined` when there is no runner for it and nothing was run. */
  async run(
    program: Program,
    place: Omit<RunnerPlace, 'preload'>,
    io: BlockIo,
  ): Promise<BlockOutcome | undefined> {
    this.tellProblem(io.notice)
    // Once more at most: packages that keep changing are no reason to go round for ever.
    for (let round = 0; round < 2; round++) {
      await this.prepare(place, io.signal)
      const end = await this.#runner?.run(program, io)
      if (end === undefined) return undefined
      if (end !== 'stale') return this.#outcomeOf(end, io)
      await this.end()
    }
    return undefined
  }

  async end(): Promise<void> {
    const runner = this.#runner
    this.#runner = undefined
    await runner?.end()
  }

  async #outcomeOf(end: Exclude<ProgramEnd, 'stale'>, io: BlockIo): Promise<BlockOutcome> {
    if (end === 'died') {
      const words = this.#runner?.lastWords ?? ''
      await this.end()
      io.notice({
        code: 'died',
        message: `The Python that runs blocks as forks of itself ended, and this block with it.${words === '' ? '' : ` Its last words: ${words.slice(-2_000)}`} The next block gets a new one.`,
      })
      return { status: 'died', exitCode: exitCodes.died }
    }
    if ('exitCode' in end) return end
    const { errorNumber, message } = end.notStarted
    io.notice({ code: 'not-started', message: `The program could not be started: ${message}` })
    return {
      status: 'invalid',
      exitCode: errorNumber === noEntry ? exitCodes.notFound : exitCodes.notExecutable,
    }
  }
}

/** ENOENT of every POSIX system. */
const noEntry = 2
