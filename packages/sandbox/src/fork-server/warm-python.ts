import { exitCodes, FencedError, type Notice } from '@fenced/core'
import type { BlockIo, BlockOutcome } from '@fenced/core/driver'
import { leftBehindNotice, untilAborted } from '@fenced/core/internal'
import type { Sandbox } from '@fenced/core/sandbox'
import { ForkServer, type ForkServerTarget } from './fork-server.ts'
import type { Program, ProgramEnd } from './python-runner.ts'
import type { SharedInterpreter } from './shared-fork-servers.ts'
import type { WarmOption } from './warm-option.ts'

/** What a {@link WarmPython} is made of. */
export interface WarmPythonOptions {
  /** The option `warm` of the executor, checked. */
  readonly warm: WarmOption
  /** Why there can be no runner, where that is known beforehand. */
  readonly problem?: string | undefined
}

/** Where the next block will be; `undefined` where there is no Python. */
type FindTarget = (signal: AbortSignal) => Promise<ForkServerTarget | undefined>

/** How a block ended. */
export type WarmOutcome = BlockOutcome & {
  /** See {@link ProgramEnd}. */
  readonly outOfMemory?: true
  /** See {@link ProgramEnd}. */
  readonly memoryKills?: number
}

/** A program of another language. */
type OtherProgram = Program & Required<Pick<Program, 'command'>>

/** How long no block must have come before a runner is started for the next one, in milliseconds: first a result is read. */
const restMs = 20
/** After how long without a block a runner ends that was not asked for, in milliseconds. */
const idleMs = 300_000
/** How long a runner that no block waits for yet may take to start, in milliseconds. */
const longestStartMs = 30_000

/**
 * The resident Python of an executor. It starts when a Python block needs it, and is replaced when it has ended. Where
 * it cannot run, a driver starts an interpreter for each block.
 *
 * With `auto` it starts when the executor is idle: after the start, or after the first block. The driver runs blocks that come
 * before, because a new runner takes longer to start than an interpreter, and on one processor both would also compete.
 * A shared interpreter that already runs serves the first block as well. An unused runner ends after an idle timeout.
 */
export class WarmPython {
  readonly #preload: readonly string[]
  /** Whether the option names it: then there is one from the first block on, and a notice where there can be none. */
  readonly #isAskedFor: boolean
  #runner: ForkServer | undefined
  /** Why there can be none. */
  #problem: string | undefined
  /** The values in the sentence of the problem. */
  #data: Readonly<Record<string, string>> | undefined
  #isProblemTold = false
  /** Whether the next block is to wait for one. */
  #isDue: boolean
  /** A start that no block waits for yet. */
  #ahead: Promise<void> | undefined
  #giveUp = new AbortController()
  /** Where the last block was. */
  #lastTarget: ForkServerTarget | undefined
  /** What is to be done when no block comes. */
  #timer: NodeJS.Timeout | undefined

  /** `undefined` where the option says that there is to be none. */
  static of(options: WarmPythonOptions): WarmPython | undefined {
    return options.warm === false ? undefined : new WarmPython(options)
  }

  private constructor({ warm, problem }: WarmPythonOptions) {
    this.#preload = typeof warm === 'object' ? warm.preload : []
    this.#isAskedFor = warm !== 'auto'
    this.#isDue = this.#isAskedFor
    this.#problem = problem
  }

  /** Whether there is one now. */
  get hasRunner(): boolean {
    return this.#runner !== undefined
  }

  /** Whether it has to be there before the first block. */
  get hasPreload(): boolean {
    return this.#preload.length > 0
  }

  /**
   * Starts a runner unless there is one, or there is to be none for the next block.
   *
   * @throws FencedError `PRELOAD_FAILED`; the reason of the signal.
   */
  async prepare(target: ForkServerTarget, signal: AbortSignal): Promise<void> {
    this.stopResting()
    this.#isDue ||= target.shared?.isReady(this.#interpreterIn(target)) === true
    if (!this.#isDue || this.#problem !== undefined) return
    if (this.#ahead !== undefined) await untilAborted(this.#ahead, signal)
    if (this.#problem !== undefined || (await this.#runner?.isUsableIn(target)) === true) return
    await this.#endRunner()
    try {
      this.#runner = await ForkServer.start(target, this.#preload, signal)
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'RUNNER_UNSUPPORTED') throw error
      this.#problem = error.message
      this.#data = { reason: error.message, ...error.data }
    }
  }

  /** The same for a block of another language, where that takes no start. Without a runner the driver starts the block. */
  async prepareOther(target: ForkServerTarget, signal: AbortSignal): Promise<void> {
    if (target.shared?.isReady(this.#interpreterIn(target)) !== true) return
    await this.prepare(target, signal).catch(() => {})
    signal.throwIfAborted()
  }

  /**
   * Called when there is nothing to do: after the start, and after a block. With `auto` it sees to it that the next block finds a
   * runner, and that none stays for a block that does not come.
   */
  rest(find: FindTarget): void {
    if (this.#isAskedFor || this.#problem !== undefined) return
    this.stopResting()
    const isThere = this.#runner !== undefined || this.#ahead !== undefined
    this.#timer = isThere
      ? setTimeout(() => this.#giveBack(), idleMs)
      : setTimeout(() => this.#startAhead(find), restMs)
    this.#timer.unref()
  }

  /** Called when a block comes. */
  stopResting(): void {
    clearTimeout(this.#timer)
  }

  /** Says why there is to be no runner. */
  refuse(problem: string): void {
    this.#problem = problem
  }

  /** Says why there is no runner, if that is so and was not said before. */
  tellProblem(notice: (notice: Notice) => void): void {
    if (this.#problem === undefined || !this.#isAskedFor || this.#isProblemTold) return
    this.#isProblemTold = true
    notice({
      code: 'not-warm',
      message: `\`warm\` has no effect here, and every Python block starts an interpreter: ${this.#problem}`,
      data: this.#data ?? { reason: this.#problem },
    })
  }

  /** Why there can be none. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Runs a block; `undefined` when there is no runner for it and nothing was run. One with tools waits for a runner. */
  async run(program: Program, target: ForkServerTarget, io: BlockIo): Promise<WarmOutcome | undefined> {
    const isDue = this.#isDue || program.tools !== undefined
    this.#isDue = true
    this.#lastTarget = target
    if (!isDue) return undefined
    // Once more at most: packages that keep changing are no reason to go round for ever.
    for (let round = 0; round < 2; round++) {
      await this.prepare(target, io.signal)
      this.tellProblem(io.notice)
      const end = await this.#runner?.run(program, io)
      if (end === undefined) return undefined
      if (end !== 'stale') return this.#outcomeOf(end, io)
      await this.#endRunner()
    }
    return undefined
  }

  /**
   * Runs a block of another language as a fork of the runner, which then becomes what runs it: that takes less than to start a process
   * from this one, which is larger. `undefined` when there is no runner now, or it does not see what is to run, and nothing was run.
   */
  async runOther(program: OtherProgram, sandbox: Sandbox, io: BlockIo): Promise<WarmOutcome | undefined> {
    const runner = this.#runner
    if (runner === undefined) return undefined
    const end = (await runner.isUsableIn({ sandbox })) ? await runner.run(program, io) : 'stale'
    if (end === 'stale') await this.#endRunner()
    const isRun = end === 'died' || (end !== 'stale' && 'exitCode' in end)
    return isRun ? this.#outcomeOf(end, io) : undefined
  }

  async end(): Promise<void> {
    this.stopResting()
    // The next executor may need one, where this one was not there for long enough to have it.
    const target = this.#lastTarget
    if (this.#runner === undefined && this.#problem === undefined && target !== undefined) {
      target.shared?.startSoon(this.#interpreterIn(target))
    }
    this.#lastTarget = undefined
    this.#giveUp.abort()
    await this.#ahead
    this.#giveUp = new AbortController()
    this.#isDue = this.#isAskedFor
    await this.#endRunner()
  }

  #interpreterIn({ python }: ForkServerTarget): SharedInterpreter {
    return { python, preload: this.#preload }
  }

  #startAhead(find: FindTarget): void {
    this.#isDue = true
    this.#timer = setTimeout(() => this.#giveBack(), idleMs).unref()
    const signal = AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(longestStartMs)])
    const start = async () => {
      // What it asks may not answer.
      const target = await untilAborted(find(signal), signal)
      if (target !== undefined) this.#runner = await ForkServer.start(target, this.#preload, signal)
    }
    // A failure is the next block's, which tries it again.
    this.#ahead = start()
      .catch(() => {})
      .finally(() => {
        this.#ahead = undefined
      })
  }

  #giveBack(): void {
    this.#isDue = false
    void this.#endRunner()
  }

  async #endRunner(): Promise<void> {
    const runner = this.#runner
    this.#runner = undefined
    await runner?.end()
  }

  async #outcomeOf(end: Exclude<ProgramEnd, 'stale'>, io: BlockIo): Promise<WarmOutcome> {
    if (end === 'died') {
      const loss = await this.#runner?.explainLoss()
      if (loss !== undefined) io.notice(loss)
      await this.#endRunner()
      return { status: 'died' }
    }
    if ('exitCode' in end) {
      const { leftBehind, ...outcome } = end
      if (leftBehind === true) io.notice(leftBehindNotice)
      return outcome
    }
    const { errorNumber, message } = end.notStarted
    io.notice({
      code: 'not-started',
      message: `The program could not be started: ${message}. Check that it can enter the working directory and read its file (\`chmod u+rwx\`).`,
      data: { reason: message },
    })
    return {
      status: 'invalid',
      exitCode: errorNumber === noEntry ? exitCodes.notFound : exitCodes.notExecutable,
    }
  }
}

/** ENOENT of every POSIX system. */
const noEntry = 2
