import { exitCodes, FencedError, type Notice } from '@fenced/core'
import type { BlockIo, BlockOutcome } from '@fenced/core/driver'
import { leftBehindNotice } from '@fenced/core/internal'
import type { Sandbox } from '@fenced/core/sandbox'
import { untilAborted } from '@fenced/shared'
import type { Program, ProgramEnd } from './python-runner.ts'
import { ResidentPython, type ResidentPythonTarget } from './resident-python.ts'
import type { SharedInterpreter } from './shared-pythons.ts'
import type { WarmOption } from './warm-option.ts'

/** Options for {@link WarmPython}. */
export interface WarmPythonOptions {
  /** The checked `warm` option of the executor. */
  readonly warm: WarmOption
  /** Why no resident Python can be started, if it is already known. */
  readonly problem?: string | undefined
}

/** Returns the target of the next block; `undefined` without a Python. */
type FindTarget = (signal: AbortSignal) => Promise<ResidentPythonTarget | undefined>

/** How a block ended. */
export type WarmOutcome = BlockOutcome & {
  /** See {@link ProgramEnd}. */
  readonly outOfMemory?: true
  /** See {@link ProgramEnd}. */
  readonly memoryKills?: number
}

/** A program of another language. */
type OtherProgram = Program & Required<Pick<Program, 'command'>>

/** Idle time before a resident Python is started for the next block, in milliseconds. */
const restMs = 20
/** Idle timeout of a resident Python with `warm: true`, in milliseconds. */
const idleMs = 300_000
/** Time limit for starting a resident Python in advance, in milliseconds. */
const longestStartMs = 30_000

/**
 * The resident Python of an executor. It starts when a Python or shell block needs it, and is replaced when it has ended. Where
 * it cannot run, a driver starts an interpreter for each block.
 *
 * With `warm: true` it also starts when the executor is idle, so that the next block does not wait, and it ends after an idle timeout.
 */
export class WarmPython {
  readonly #preload: readonly string[]
  /** Whether the option is an object, which asks for a resident Python that stays. A notice then reports a failure. */
  readonly #isAskedFor: boolean
  #python: ResidentPython | undefined
  /** Whether it was prepared for the block that comes next. */
  #isPrepared = false
  /** Why no resident Python can be started. */
  #problem: string | undefined
  #data: Readonly<Record<string, string>> | undefined
  #isProblemTold = false
  /** A start in advance. */
  #ahead: Promise<void> | undefined
  #giveUp = new AbortController()
  /** Starts a resident Python, or ends an idle resident Python. */
  #timer: NodeJS.Timeout | undefined

  /** Returns `undefined` for `warm: false`. */
  static of(options: WarmPythonOptions): WarmPython | undefined {
    return options.warm === false ? undefined : new WarmPython(options)
  }

  private constructor({ warm, problem }: WarmPythonOptions) {
    this.#preload = typeof warm === 'object' ? (warm.preload ?? []) : []
    this.#isAskedFor = typeof warm === 'object'
    this.#problem = problem
  }

  /** Whether a resident Python is running. */
  get isRunning(): boolean {
    return this.#python !== undefined
  }

  /** Whether the executor must wait for the resident Python when it starts. */
  get hasPreload(): boolean {
    return this.#preload.length > 0
  }

  /**
   * Starts a resident Python, unless one is running.
   *
   * @throws FencedError `PRELOAD_FAILED`; the reason of the signal.
   */
  async prepare(target: ResidentPythonTarget, signal: AbortSignal): Promise<void> {
    this.cancelIdle()
    if (this.#problem !== undefined) return
    if (this.#ahead !== undefined) await untilAborted(this.#ahead, signal)
    this.#isPrepared = true
    if ((await this.#python?.isUsableIn(target)) === true) return
    await this.#endPython()
    try {
      this.#python = await ResidentPython.start(target, this.#preload, signal)
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'RESIDENT_PYTHON_UNSUPPORTED') throw error
      this.#problem = error.message
      this.#data = { reason: error.message, ...error.data }
    }
  }

  /**
   * The same for a block of another language, if it waits, or a shared Python is ready. Otherwise, and where no resident Python starts, the
   * driver starts the block.
   */
  async prepareOther(
    target: ResidentPythonTarget,
    { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    if (!waits && target.shared?.isReady(this.#interpreterIn(target)) !== true) return
    await this.prepare(target, signal).catch(() => {})
    signal.throwIfAborted()
  }

  /**
   * Called when the executor is idle: after the start, and after a block. With `warm: true` it starts a resident Python for the next block, and
   * ends a resident Python without blocks.
   */
  scheduleIdle(find: FindTarget): void {
    if (this.#isAskedFor || this.#problem !== undefined) return
    this.cancelIdle()
    const isThere = this.#python !== undefined || this.#ahead !== undefined
    this.#timer = isThere
      ? setTimeout(() => void this.#endPython(), idleMs)
      : setTimeout(() => this.#startAhead(find), restMs)
    this.#timer.unref()
  }

  /** Called before a block. */
  cancelIdle(): void {
    clearTimeout(this.#timer)
  }

  /** Sets the reason why no resident Python can be started. */
  refuse(problem: string): void {
    this.#problem = problem
  }

  /** Reports once why no resident Python can be started. */
  tellProblem(notice: (notice: Notice) => void): void {
    if (this.#problem === undefined || !this.#isAskedFor || this.#isProblemTold) return
    this.#isProblemTold = true
    notice({
      code: 'not-warm',
      message: `\`warm\` has no effect here, so every Python block starts an interpreter: ${this.#problem}`,
      data: this.#data ?? { reason: this.#problem },
    })
  }

  /** Why no resident Python can be started. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Runs a block; returns `undefined` without running it if no resident Python is available. */
  async run(program: Program, target: ResidentPythonTarget, io: BlockIo): Promise<WarmOutcome | undefined> {
    // The settings of this process were compared just now. A sandbox may have lost its working directory since.
    const isPlain = target.sandbox.capabilities.isolation === 'none'
    const isPrepared = isPlain && this.#isPrepared && this.#python?.isThereIn(target) === true
    // At most one retry, because packages may keep changing.
    for (let round = 0; round < 2; round++) {
      if (round > 0 || !isPrepared) await this.prepare(target, io.signal)
      this.#isPrepared = false
      this.tellProblem(io.notice)
      const end = await this.#python?.run(program, io)
      if (end === undefined) return undefined
      if (end !== 'stale') return this.#outcomeOf(end, io)
      await this.#endPython()
    }
    return undefined
  }

  /**
   * Runs a block of another language in a fork of the resident Python, which then executes the interpreter. That is faster than starting a process
   * from this large process. Returns `undefined` without running it if no resident Python is available, or the resident Python cannot see the program.
   */
  async runOther(program: OtherProgram, sandbox: Sandbox, io: BlockIo): Promise<WarmOutcome | undefined> {
    const python = this.#python
    if (python === undefined) return undefined
    const end = (await python.isUsableIn({ sandbox })) ? await python.run(program, io) : 'stale'
    if (end === 'stale') await this.#endPython()
    const isRun = end === 'died' || (end !== 'stale' && 'exitCode' in end)
    return isRun ? this.#outcomeOf(end, io) : undefined
  }

  async end(): Promise<void> {
    this.cancelIdle()
    this.#giveUp.abort()
    await this.#ahead
    this.#giveUp = new AbortController()
    await this.#endPython()
  }

  #interpreterIn({ python }: ResidentPythonTarget): SharedInterpreter {
    return { python, preload: this.#preload }
  }

  #startAhead(find: FindTarget): void {
    this.#timer = setTimeout(() => void this.#endPython(), idleMs).unref()
    const signal = AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(longestStartMs)])
    const start = async () => {
      // The sandbox may not answer.
      const target = await untilAborted(find(signal), signal)
      if (target !== undefined) this.#python = await ResidentPython.start(target, this.#preload, signal)
    }
    // The next block tries again, and reports a failure.
    this.#ahead = start()
      .catch(() => {})
      .finally(() => {
        this.#ahead = undefined
      })
  }

  async #endPython(): Promise<void> {
    const python = this.#python
    this.#python = undefined
    await python?.end()
  }

  async #outcomeOf(end: Exclude<ProgramEnd, 'stale'>, io: BlockIo): Promise<WarmOutcome> {
    if (end === 'died') {
      const loss = await this.#python?.explainLoss()
      if (loss !== undefined) io.notice(loss)
      await this.#endPython()
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
