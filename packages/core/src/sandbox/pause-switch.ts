import { FencedError } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'

/** Whether a sandbox is paused. Changes one at a time, waits for work that a pause would break, and tells those who watch. */
export class PauseSwitch {
  readonly #name: string
  readonly #watchers = new Set<(isPaused: boolean) => void>()
  readonly #working = new Set<Promise<unknown>>()
  #isPaused = false
  #resumed: PromiseWithResolvers<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** @param name - of the sandbox, for messages. */
  constructor(name: string) {
    this.#name = name
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** @throws FencedError `SANDBOX_PAUSED` */
  requireRunning(): void {
    if (this.#isPaused) throw sandboxPaused(this.#name)
  }

  /** Does work of a block: when the sandbox is not paused, and before it can be paused. */
  async whileRunning<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    while (this.#resumed !== undefined) {
      await (signal === undefined ? this.#resumed.promise : untilAborted(this.#resumed.promise, signal))
    }
    const working = work()
    const settled = working.then(
      () => {},
      () => {},
    )
    this.#working.add(settled)
    void settled.then(() => this.#working.delete(settled))
    return working
  }

  /** Pauses the sandbox, unless it is paused. If that fails, it is not paused. */
  pause(act: () => Promise<void>): Promise<void> {
    return this.#next(async () => {
      if (this.#isPaused) return
      this.#set(true)
      try {
        await Promise.all(this.#working)
        await act()
      } catch (error) {
        this.#set(false)
        throw error
      }
    })
  }

  /** Resumes the sandbox, unless it is running. If that fails, it stays paused. */
  resume(act: () => Promise<void>): Promise<void> {
    return this.#next(async () => {
      if (!this.#isPaused) return
      await act()
      this.#set(false)
    })
  }

  /** The sandbox has ended. */
  reset(): void {
    if (this.#isPaused) this.#set(false)
  }

  watch(watcher: (isPaused: boolean) => void): Disposable {
    this.#watchers.add(watcher)
    return { [Symbol.dispose]: () => this.#watchers.delete(watcher) }
  }

  #set(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#resumed?.resolve()
    this.#resumed = isPaused ? Promise.withResolvers<void>() : undefined
    for (const watcher of this.#watchers) watcher(isPaused)
  }

  #next(change: () => Promise<void>): Promise<void> {
    const next = this.#last.then(change)
    this.#last = next.catch(() => {})
    return next
  }
}

export function sandboxPaused(name: string): FencedError {
  return new FencedError({
    code: 'SANDBOX_PAUSED',
    message: `The ${name} sandbox is paused, so it cannot start anything. Call \`resume()\`, then try again.`,
    data: { sandbox: name },
  })
}

export function notPausable(name: string, reason: string): FencedError {
  return new FencedError({
    code: 'NOT_PAUSABLE',
    message: `The ${name} sandbox cannot be paused: ${reason} Choose a sandbox whose \`capabilities.pause\` is true.`,
    data: { sandbox: name, reason },
  })
}
