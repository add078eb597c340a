import { afterTime } from '@fenced/shared'

/** Reason why the time limit of a program stands still. */
export type WaitingFor = 'people' | 'tools' | 'resume'

/** Limits of one block, in milliseconds. */
export interface ClockLimits {
  /** Time of the program itself, and the most that its clock stands still for tools. */
  readonly timeoutMs: number
  /** The most that its clock stands still for people. */
  readonly maxWaitMs: number
}

/** The option whose limit ended a block. */
export type PassedLimit = keyof ClockLimits

/** The parts of the time of a block. Exactly one of them passes while the program runs. */
type Part = 'program' | WaitingFor

const noTimer: Disposable = { [Symbol.dispose]: () => {} }

/**
 * The clock of one block. The program's own time stands still while the program waits for people, up to `maxWaitMs` in total, and
 * while it waits for tools, up to `timeoutMs` in total; after that a call of a tool takes the program's own time. So a program
 * ends after `2 × timeoutMs + maxWaitMs` at the latest, however many threads wait. No part of its time passes in a paused sandbox.
 */
export class BlockClock implements Disposable {
  readonly #limits: ClockLimits
  readonly #onPassed: (limit: PassedLimit) => void
  readonly #leftMs: Record<Part, number>
  readonly #waiting: Record<WaitingFor, number> = { people: 0, tools: 0, resume: 0 }
  #isRunning = false
  /** `wasOver`: the part had no time left when it began. It began nevertheless, because this process may have been busy. */
  #passing:
    | { readonly part: Part; readonly since: number; readonly timer: Disposable; readonly wasOver: boolean }
    | undefined

  /** @param onPassed - called once when a limit has passed. */
  constructor(limits: ClockLimits, onPassed: (limit: PassedLimit) => void) {
    this.#limits = limits
    this.#onPassed = onPassed
    this.#leftMs = {
      program: limits.timeoutMs,
      people: limits.maxWaitMs,
      tools: limits.timeoutMs,
      resume: Number.POSITIVE_INFINITY,
    }
  }

  /** Whether calls of tools have used the time for which they stop the clock. */
  get isToolTimeUsed(): boolean {
    return this.#leftMs.tools <= 0
  }

  /** Gives a program its whole time. The time for waiting belongs to the block, and is not given again. */
  start(): void {
    this.stop()
    this.#leftMs.program = this.#limits.timeoutMs
    this.#isRunning = true
    this.#next()
  }

  stop(): void {
    this.#isRunning = false
    this.#change()
  }

  /** Stops the program's own time until the result is disposed of. */
  hold(waitingFor: WaitingFor): Disposable {
    this.#waiting[waitingFor]++
    this.#next()
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#waiting[waitingFor]--
        this.#next()
      },
    }
  }

  /** Limits a question while no program runs, until the result is disposed. */
  limitQuestion(): Disposable {
    const since = performance.now()
    const timer = afterTime(this.#leftMs.people, () => this.#onPassed('maxWaitMs'))
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]()
        this.#leftMs.people = Math.max(0, this.#leftMs.people - (performance.now() - since))
      },
    }
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  /** Continues with the part that passes now. A timer is kept where that is the same part, so that many short calls delay no end. */
  #next(): void {
    if (!this.#isRunning || this.#passing?.part !== this.#part()) this.#change()
  }

  #change(): void {
    if (this.#passing !== undefined) {
      const { part, since, timer, wasOver } = this.#passing
      timer[Symbol.dispose]()
      this.#passing = undefined
      this.#leftMs[part] = Math.max(0, this.#leftMs[part] - (performance.now() - since))
      if (this.#isRunning && wasOver) {
        this.#onEnd(part)
        return
      }
    }
    if (!this.#isRunning) return
    const part = this.#part()
    const leftMs = this.#leftMs[part]
    const timer = part === 'resume' ? noTimer : afterTime(leftMs, () => this.#onEnd(part))
    this.#passing = { part, since: performance.now(), timer, wasOver: leftMs === 0 }
  }

  #part(): Part {
    if (this.#waiting.resume > 0) return 'resume'
    if (this.#waiting.people > 0) return 'people'
    return this.#waiting.tools > 0 && this.#leftMs.tools > 0 ? 'tools' : 'program'
  }

  #onEnd(part: Part): void {
    if (part === 'tools') {
      this.#change()
      return
    }
    this.stop()
    this.#onPassed(part === 'people' ? 'maxWaitMs' : 'timeoutMs')
  }
}
