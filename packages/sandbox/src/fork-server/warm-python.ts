import { exitCodes, FencedError, type Notice } from '@fenced/core'
import type { BlockIo, BlockOutcome } from '@fenced/core/driver'
import { ForkServer, type ForkServerPlace } from './fork-server.ts'
import type { Program, ProgramEnd } from './python-runner.ts'
import type { WarmOption } from './warm-option.ts'

/** What a {@link WarmPython} is made of. */
export interface WarmPythonOptions {
  /** The option `warm` of the executor, checked. */
  readonly warm: WarmOption
  /** Why there can be no runner, where that is known beforehand. */
  readonly problem?: string | undefined
}

/** How a block ended. */
export type WarmOutcome = BlockOutcome & {
  /** See {@link ProgramEnd}. */
  readonly outOfMemory?: true
}

/**
 * The runner of an executor's Python blocks, which is started when it is needed and made anew when it is gone. Where
 * there can be none, blocks are left to a driver that starts an interpreter for each.
 */
export class WarmPython {
  readonly #preload: readonly string[]
  #runner: ForkServer | undefined
  /** Why there can be none. */
  #problem: string | undefined
  #isProblemTold = false

  /** `undefined` where the option says that there is to be none. */
  static of(options: WarmPythonOptions): WarmPython | undefined {
    return options.warm === false ? undefined : new WarmPython(options)
  }

  private constructor({ warm, problem }: WarmPythonOptions) {
    this.#preload = typeof warm === 'object' ? warm.preload : []
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
  async prepare(place: ForkServerPlace, signal?: AbortSignal): Promise<void> {
    if (this.#problem !== undefined || (await this.#runner?.isUsableIn(place)) === true) return
    await this.end()
    try {
      this.#runner = await ForkServer.start(place, this.#preload, signal)
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
  async run(program: Program, place: ForkServerPlace, io: BlockIo): Promise<WarmOutcome | undefined> {
    // Once more at most: packages that keep changing are no reason to go round for ever.
    for (let round = 0; round < 2; round++) {
      await this.prepare(place, io.signal)
      this.tellProblem(io.notice)
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

  async #outcomeOf(end: Exclude<ProgramEnd, 'stale'>, io: BlockIo): Promise<WarmOutcome> {
    if (end === 'died') {
      const loss = await this.#runner?.explainLoss()
      if (loss !== undefined) io.notice(loss)
      await this.end()
      return { status: 'died' }
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
