import { FencedError } from '../fenced-error.ts'

/** The two ends of a place's life. */
export interface LifeCycleSteps {
  /** Must stop for the signal. `close` is called when it fails or was aborted, so it need not clean up by itself. */
  readonly open: (signal: AbortSignal) => Promise<void>
  /** Must cope with a place that is half open or half gone. */
  readonly close: () => Promise<void>
}

interface Start {
  readonly done: Promise<void>
  readonly controller: AbortController
  /** How many callers still want it. */
  waiting: number
}

/**
 * idle → starting → ready → stopping → stopped, and `broken` for a place that must be closed before it can be
 * opened again. Calls at the same time share one start or one stop.
 */
export class LifeCycle {
  readonly #steps: LifeCycleSteps
  #state: 'idle' | 'ready' | 'stopped' | 'broken' = 'idle'
  #start: Start | undefined
  #stop: Promise<void> | undefined

  constructor(steps: LifeCycleSteps) {
    this.#steps = steps
  }

  get state(): 'idle' | 'starting' | 'ready' | 'stopping' | 'stopped' | 'broken' {
    if (this.#stop !== undefined) return 'stopping'
    return this.#start === undefined ? this.#state : 'starting'
  }

  /** Opens the place unless it is open. A caller whose signal is aborted leaves; the last one to leave ends the start. */
  async start(signal?: AbortSignal): Promise<void> {
    // No wait where nothing is ending: a stop that is called next must find this start.
    while (this.#ending !== undefined) await this.#ending
    signal?.throwIfAborted()
    if (this.#start === undefined && this.#state === 'ready') return
    this.#start ??= this.#beginStart()
    await this.#join(this.#start, signal)
  }

  /** Closes the place if it was ever opened. After a failure it can be called again. */
  async stop(): Promise<void> {
    this.#stop ??= this.#close().finally(() => {
      this.#stop = undefined
    })
    await this.#stop
  }

  /** The place went away or cannot be trusted any more: the next start closes it first. */
  markBroken(): void {
    if (this.#state === 'ready') this.#state = 'broken'
  }

  /** A stop, or a start that nobody wants any more, while it runs off. */
  get #ending(): Promise<void> | undefined {
    if (this.#stop !== undefined) return this.#stop
    return this.#start?.controller.signal.aborted ? this.#start.done.catch(() => {}) : undefined
  }

  #beginStart(): Start {
    const controller = new AbortController()
    const done = this.#open(controller.signal).finally(() => {
      this.#start = undefined
    })
    // Every caller that is left waits on it; when all have gone, nobody does.
    done.catch(() => {})
    return { done, controller, waiting: 0 }
  }

  async #open(signal: AbortSignal): Promise<void> {
    if (this.#state === 'broken') await this.#steps.close()
    try {
      await this.#steps.open(signal)
      signal.throwIfAborted()
    } catch (error) {
      this.#state = 'broken'
      await this.#steps.close().then(
        () => {
          this.#state = 'idle'
        },
        // Why the start failed is what the caller must hear; the next start or stop closes once more.
        () => {},
      )
      // What a place throws for an abort is an error of its own making.
      throw signal.aborted ? signal.reason : error
    }
    this.#state = 'ready'
  }

  async #join(start: Start, signal: AbortSignal | undefined): Promise<void> {
    const left = Promise.withResolvers<never>()
    const leave = () => {
      start.waiting--
      if (start.waiting > 0) return left.reject(signal?.reason)
      start.controller.abort(signal?.reason)
      // What was half open is closed before the caller goes on.
      start.done.then(
        () => left.reject(signal?.reason),
        () => left.reject(signal?.reason),
      )
    }
    start.waiting++
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await Promise.race([start.done, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  async #close(): Promise<void> {
    if (this.#start !== undefined) {
      this.#start.controller.abort(
        new FencedError({
          code: 'EXECUTOR_STOPPED',
          message: 'The executor was stopped while it was starting.',
        }),
      )
      await this.#start.done.catch(() => {})
    }
    if (this.#state === 'ready' || this.#state === 'broken') {
      this.#state = 'broken'
      await this.#steps.close()
    }
    this.#state = 'stopped'
  }
}
