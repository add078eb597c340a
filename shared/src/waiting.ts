import { setTimeout as delay } from 'node:timers/promises'

/** Calls `listener` when the signal is aborted, at once when it is already, until this is disposed. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal?.aborted) listener()
  else signal?.addEventListener('abort', listener, { once: true })
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', listener) }
}

/** Returns the value of a promise, or `aborted` when the signal is aborted before. */
export async function raceAbort<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | 'aborted'> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>()
  using _ = onAbort(signal, () => resolve('aborted'))
  return await Promise.race([promise, aborted])
}

/** Returns the value of a promise. Rejects with the signal's reason when the signal is aborted before. */
export async function untilAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _ = onAbort(signal, () => reject(signal.reason))
  return await Promise.race([promise, aborted])
}

/**
 * Calls `ask` until its answer is not `undefined`: at once, and then at growing intervals.
 *
 * @returns `undefined` when there is no answer within a time in milliseconds.
 */
export async function untilKnown<Answer>(
  ask: () => Promise<Answer | undefined>,
  limitMs: number,
): Promise<Answer | undefined> {
  const startedAt = performance.now()
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const answer = await ask()
    if (answer !== undefined || performance.now() - startedAt > limitMs) return answer
    await delay(pauseMs)
  }
}

/**
 * Returns the value of a promise, or `late` after a time in milliseconds. As with `afterTime`, a busy or stopped process
 * does not make a promise late.
 */
export function raceTimeout<Value>(promise: Promise<Value>, timeMs: number): Promise<Value | 'late'> {
  return race(promise, (late) => afterTime(timeMs, late))
}

/** Like `raceTimeout`, for what another process is given time to do: see `afterGrace`. */
export function raceGrace<Value>(promise: Promise<Value>, timeMs: number): Promise<Value | 'late'> {
  return race(promise, (late) => afterGrace(timeMs, late))
}

async function race<Value>(
  promise: Promise<Value>,
  begin: (late: () => void) => Disposable,
): Promise<Value | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  using _ = begin(() => resolve('late'))
  return await Promise.race([promise, late])
}

/** Resolves when ends of processes and messages that have arrived by now were handled. */
export async function pendingReads(): Promise<void> {
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

/**
 * Calls `listener` after a time in milliseconds, unless the result is disposed before. Ends of processes and messages that
 * have arrived by then are handled first: in a process that was busy or stopped, timers are due before they are read.
 */
export function afterTime(timeMs: number, listener: () => void): Disposable {
  let immediate: NodeJS.Immediate | undefined
  // All that can be read is read between a timer and an immediate; what follows from that may take one more round.
  const afterReading = (next: () => void) => () => {
    immediate = setImmediate(next)
  }
  const timer = setTimeout(afterReading(afterReading(listener)), timeMs)
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      clearImmediate(immediate)
    },
  }
}

/** Into how many parts a grace period is divided. */
const parts = 4

/**
 * Like `afterTime`, for what another process is given time to do. A pause of the machine pauses that process, too, so it counts as a quarter
 * of the time at most.
 */
export function afterGrace(timeMs: number, listener: () => void): Disposable {
  let leftParts = parts
  const next = (): Disposable =>
    afterTime(timeMs / parts, () => {
      leftParts--
      if (leftParts === 0) listener()
      else current = next()
    })
  let current = next()
  return { [Symbol.dispose]: () => current[Symbol.dispose]() }
}

/** Calls a listener, each time again, when nothing has come for a time in milliseconds. What has arrived by then is read first. */
export class Quiet implements Disposable {
  readonly #timeMs: number
  readonly #listener: () => void
  #timer: Disposable | undefined

  constructor(timeMs: number, listener: () => void) {
    this.#timeMs = timeMs
    this.#listener = listener
  }

  /** Something has come, or the waiting begins. */
  heard(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = afterTime(this.#timeMs, this.#listener)
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }
}
