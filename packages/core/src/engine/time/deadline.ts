import { FencedError } from '@fenced/errors'
import { afterTime, onAbort } from '@fenced/shared'
import { type BlockEnd, blockEnd } from '../block-end.ts'
import type { BlockOutcome } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import { BlockClock, type ClockLimits, type PassedLimit, type WaitingFor } from './block-clock.ts'
import { withStopGrace } from './stop-grace.ts'
import { type StopReason, stopNotice } from './stop-notices.ts'

/** Grace period of a preparation after its signal, in milliseconds: `stop()` waits for it. */
const prepareGraceMs = 10_000

/** Parts of a {@link Deadline}. */
export interface DeadlineTask extends ClockLimits {
  /** The caller's. */
  readonly signal: AbortSignal
  /** Whether the reader of the events holds the writer back. Default: it never does. */
  readonly isReaderBehind?: () => boolean
}

/** The longest that a timer can wait, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1

/** Every clock of one block, and every reason that stops it. The first reason counts. */
export class Deadline implements Disposable {
  readonly #engine: EngineContext
  readonly #limits: ClockLimits
  readonly #clock: BlockClock
  readonly #controller = new AbortController()
  readonly #caller: Disposable
  readonly #isReaderBehind: () => boolean
  #reason: StopReason | undefined
  #passedLimit: PassedLimit | undefined
  /** Why the program was stopped. `undefined` when it ended before the first reason. */
  #programReason: StopReason | undefined
  #programHasEnded = false
  /** Ends a driver that does not return although its program has ended. */
  #restTimer: Disposable | undefined
  #isOverdue = false
  #pauses = 0

  constructor(engine: EngineContext, { signal, isReaderBehind = () => false, ...limits }: DeadlineTask) {
    this.#engine = engine
    this.#isReaderBehind = isReaderBehind
    this.#limits = { timeoutMs: limits.timeoutMs, maxWaitMs: limits.maxWaitMs }
    this.#clock = new BlockClock(this.#limits, (limit) => {
      this.#passedLimit = limit
      this.stop('timeout')
    })
    this.#caller = onAbort(signal, () => this.stop('cancelled'))
  }

  /** Aborted for the first reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why the block is stopped; `undefined` while it may continue. */
  get reason(): StopReason | undefined {
    return this.#reason
  }

  stop(reason: StopReason): void {
    this.#reason ??= reason
    // How much a program wrote does not depend on when it is read.
    if (!this.#programHasEnded || reason === 'output-limit') this.#programReason ??= reason
    this.#controller.abort()
  }

  /**
   * Lets the driver prepare for the block, up to a separate limit or until there is a {@link reason} to stop.
   *
   * @throws FencedError `PREPARE_TIMEOUT`; what the driver rejects with.
   */
  async prepare(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { name, prepareTimeoutMs, markBroken } = this.#engine
    const controller = new AbortController()
    const { signal } = controller
    using _timer = afterTime(prepareTimeoutMs, () => controller.abort(prepareTimeout(name, prepareTimeoutMs)))
    using _ = onAbort(this.signal, () => controller.abort(this.signal.reason))
    try {
      const prepared = await withStopGrace(work(signal), { signal, graceMs: prepareGraceMs })
      if (prepared === 'abandoned') markBroken()
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted && signal.reason !== this.signal.reason) throw signal.reason
  }

  /**
   * Runs a program under its time limit. If the block is stopped, or was to be stopped before the program begins, the
   * {@link reason} decides the outcome, and the driver's outcome is ignored.
   *
   * @param start - starts it, and calls `ended` when the program has ended and only the rest of its output is to come.
   * @throws FencedError `DRIVER_FAILED` for a driver that has called `ended` and does not return.
   */
  async run(start: (ended: () => void) => Promise<BlockOutcome>): Promise<BlockEnd> {
    if (this.#reason !== undefined) return this.stoppedEnd(this.#reason)
    const startedAt = performance.now()
    let endedAt: number | undefined
    this.#programHasEnded = false
    this.#programReason = undefined
    this.#clock.start()
    const end = () => {
      endedAt ??= performance.now()
      this.#programHasEnded = true
      this.#clock.stop()
      this.#limitRest()
    }
    // A driver may reject because it was stopped.
    const running = start(end).catch((error: unknown): BlockOutcome => {
      if (this.#reason === undefined && !this.#isOverdue) throw error
      return { status: 'died' }
    })
    const outcome = await this.guard(running)
    const durationMs = (endedAt ?? performance.now()) - startedAt
    end()
    this.#restTimer?.[Symbol.dispose]()
    if (this.#isOverdue) throw endedTooEarly(this.#engine.name, this.#restLimitMs)
    if (outcome === 'abandoned') return { ...this.abandonedEnd(), durationMs }
    const reason = this.#programReason
    if (reason === 'timeout' && outcome.loss !== undefined)
      return { ...blockEnd({ status: 'died' }), notice: outcome.loss }
    // A program that has written too much has done so, also where it ended before it could be stopped.
    const counts = outcome.endedByItself !== true || reason === 'output-limit'
    return { ...(reason === undefined || !counts ? blockEnd(outcome) : this.stoppedEnd(reason)), durationMs }
  }

  /** Stops the clock of the program while it waits, up to the limit of such waiting, until the result is disposed of. */
  hold(waitingFor: WaitingFor): Disposable {
    return this.#clock.hold(waitingFor)
  }

  /** Stops every time limit of the program while its sandbox is paused, until the result is disposed of. */
  pause(): Disposable {
    const held = this.#clock.hold('resume')
    this.#pauses++
    return {
      [Symbol.dispose]: () => {
        this.#pauses--
        held[Symbol.dispose]()
      },
    }
  }

  /** Limits a question after the end of the program, until the result is disposed. */
  limitQuestion(): Disposable {
    return this.#clock.limitQuestion()
  }

  /** Returns the result of a driver's work, or `abandoned` when it does not stop in time after the signal. */
  guard<Value>(running: Promise<Value>): Promise<Value | 'abandoned'> {
    return withStopGrace(running, { signal: this.signal, graceMs: this.#engine.stopGraceMs })
  }

  /** Returns the end of a block that is stopped, or that must stop before it begins. */
  stoppedEnd(reason: StopReason): BlockEnd {
    const { maxOutputBytes } = this.#engine.options
    const { isToolTimeUsed } = this.#clock
    const limits = { ...this.#limits, maxOutputBytes, passed: this.#passedLimit, isToolTimeUsed }
    return { ...blockEnd({ status: reason }), notice: stopNotice(reason, limits) }
  }

  /** The end of a block whose driver continues although it was to stop. */
  abandonedEnd(): BlockEnd {
    const { name, stopGraceMs, capabilities } = this.#engine
    const next =
      capabilities.stateful.length > 0
        ? 'Call restart() to continue with a new one.'
        : 'The next call makes it again.'
    const message = `The executor "${name}" did not stop the program within ${stopGraceMs} ms, so Fenced gave up on it. ${next}`
    return {
      ...blockEnd({ status: 'died' }),
      notice: { code: 'died', message, data: { executor: name, limitMs: `${stopGraceMs}` } },
    }
  }

  /** The rest of the output takes no program's time, so a program that begins only now would run without a limit. */
  #limitRest(): void {
    this.#restTimer?.[Symbol.dispose]()
    this.#restTimer = afterTime(this.#restLimitMs, () => {
      if (this.#isReaderBehind() || this.#pauses > 0) return this.#limitRest()
      this.#isOverdue = true
      this.#controller.abort()
    })
  }

  get #restLimitMs(): number {
    return Math.min(this.#limits.timeoutMs + this.#engine.stopGraceMs, longestTimerMs)
  }

  [Symbol.dispose](): void {
    this.#clock[Symbol.dispose]()
    this.#restTimer?.[Symbol.dispose]()
    this.#caller[Symbol.dispose]()
  }
}

function endedTooEarly(name: string, limitMs: number): FencedError {
  return new FencedError({
    code: 'DRIVER_FAILED',
    message: `The driver of the executor "${name}" called \`ended\` but did not return within ${limitMs} ms, so it was stopped. \`ended\` means that the last program of the block has ended, and that its time limit no longer applies. Call it once, after that program. For a compiler, pass the \`before\` option to \`runProcess\`.`,
    data: { executor: name, limitMs: `${limitMs}` },
  })
}

function prepareTimeout(name: string, timeoutMs: number): FencedError {
  return new FencedError({
    code: 'PREPARE_TIMEOUT',
    message: `The executor "${name}" was not ready for the block within ${timeoutMs} ms. The block was not run. Find out what is hanging, or call restart().`,
    data: { executor: name, limitMs: `${timeoutMs}` },
  })
}
