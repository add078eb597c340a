import { exitCodes } from '@fenced/core'
import { raceGrace } from '@fenced/shared'
import type { CellEnd } from './cell.ts'
import type { KernelClient } from './kernel-client.ts'

/** Why a cell has no end: it took too long, or its kernel cannot be reached. */
export type InterruptFailure = 'late' | 'unreachable'

/** Time between two checks of whether an interrupt is needed, in milliseconds. */
const againMs = 200

/** How long a kernel may take to answer whether the code runs, in milliseconds: code of C can keep it from answering. */
const runningMs = 300

/** How long a kernel may take to answer an interrupt, in milliseconds: not every kernel does. */
const answerMs = 1_000

/** Part of the grace period after which the last interrupt is sent: code can wait again where it handles the first one. */
const partBeforeLast = 0.75

type InterruptedKernel = Pick<KernelClient, 'cell' | 'interrupt' | 'isRunning' | 'tellsRunning'>

interface InterruptedCell {
  readonly kernel: InterruptedKernel
  readonly running: Promise<CellEnd>
  /**
   * How long the code may take to end after the first interrupt was delivered, in milliseconds. Output that it wrote before may take
   * longer.
   */
  readonly graceMs: number
}

/**
 * Interrupts the running cell of a kernel, as Ctrl-C does: once, so that the code can save its work. One more interrupt comes when
 * three quarters of the grace period have passed.
 *
 * ipykernel swallows an interrupt that comes before the cell's own code, so the interrupt waits until that code runs. A kernel that does not
 * tell this is interrupted again until a message of the cell comes. An interrupt between ipykernel's own code and the cell's ends the cell
 * without a reply, and then it is enough that the kernel is idle.
 */
export async function interruptCell({
  kernel,
  running,
  graceMs,
}: InterruptedCell): Promise<CellEnd | InterruptFailure> {
  const giveUpAt = performance.now() + graceMs
  const interrupts = new Interrupts(kernel, performance.now() + partBeforeLast * graceMs)
  for (;;) {
    const { cell } = kernel
    // The code has ended, and only its output is still in transit.
    if (cell?.hasReply) {
      await interrupts.end()
      return running
    }
    const leftMs = Math.max(giveUpAt, (interrupts.deliveredAt ?? 0) + graceMs) - performance.now()
    if (leftMs <= 0) return 'late'
    const wasIdle = cell?.isIdle ?? false
    try {
      const attempt = wasIdle ? Promise.resolve() : interrupts.attempt()
      const end = await raceGrace(
        Promise.race([
          running,
          raceGrace(attempt, answerMs).then(() => raceGrace(running, interrupts.pauseMs)),
        ]),
        leftMs,
      )
      if (end !== 'late') {
        await interrupts.end()
        return end
      }
    } catch {
      return 'unreachable'
    }
    if (wasIdle && cell !== undefined) {
      await interrupts.end()
      cell.endWith({ kind: 'done', exitCode: exitCodes.cancelled })
      return running
    }
  }
}

class Interrupts {
  readonly #kernel: InterruptedKernel
  /** The time of the last one. */
  readonly #lastAt: number
  #isLastSent = false
  /** When the first one was delivered, on the clock of `performance.now`. */
  deliveredAt: number | undefined
  /** Whether the code is known to have received an interrupt. */
  #isReceived = false
  /** How many messages of the cell had come when an interrupt was sent for the first time. */
  #messageCount: number | undefined
  #hasEnded = false
  #sending: Promise<unknown> = Promise.resolve()

  constructor(kernel: InterruptedKernel, lastAt: number) {
    this.#kernel = kernel
    this.#lastAt = lastAt
  }

  /** Time until the next attempt, in milliseconds. */
  get pauseMs(): number {
    const untilLastMs = this.#lastAt - performance.now()
    return this.#isLastSent || untilLastMs <= 0 ? againMs : Math.min(againMs, untilLastMs)
  }

  /** Sends an interrupt where one is needed. */
  async attempt(): Promise<void> {
    const isLast = performance.now() >= this.#lastAt && !this.#isLastSent
    if (isLast) this.#isLastSent = true
    const isNeeded = isLast || (!this.#isReceived && (await this.#isNeeded()))
    if (!isNeeded || this.#hasEnded) return
    const sending = this.#kernel.interrupt()
    this.#sending = sending.catch(() => {})
    await sending
    this.deliveredAt ??= performance.now()
  }

  /** Sends none from now on, and waits for the answer to the last one: a late interrupt would reach the next cell. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await raceGrace(this.#sending, answerMs)
  }

  async #isNeeded(): Promise<boolean> {
    if (!this.#kernel.tellsRunning) return this.#hasNoSign()
    const isRunning = await raceGrace(this.#kernel.isRunning(), runningMs)
    this.#isReceived = isRunning !== false
    return this.#isReceived
  }

  #hasNoSign(): boolean {
    const messageCount = this.#kernel.cell?.messageCount ?? 0
    this.#messageCount ??= messageCount
    return messageCount === this.#messageCount
  }
}
