import { untilAborted } from '@fenced/shared'
import { stoppedWhileStarting } from './executor-errors.ts'

/** Stops and restarts of an executor that are in progress. A start that is called meanwhile begins after them. */
export class Endings {
  readonly #inProgress = new Set<Promise<void>>()
  #stopCount = 0

  async stop(work: () => Promise<void>): Promise<void> {
    this.#stopCount++
    await this.restart(work)
  }

  async restart(work: () => Promise<void>): Promise<void> {
    const ending = work()
    this.#inProgress.add(ending)
    try {
      await ending
    } finally {
      this.#inProgress.delete(ending)
    }
  }

  /**
   * Resolves when no stop and no restart is in progress, whether they succeeded or not.
   *
   * @throws FencedError `EXECUTOR_STOPPED` when `stop` was called after this; the reason of the signal.
   */
  async over(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const stopCount = this.#stopCount
    while (this.#inProgress.size > 0) {
      await untilAborted(Promise.allSettled(this.#inProgress), signal)
      if (this.#stopCount !== stopCount) throw stoppedWhileStarting()
    }
  }

  get areInProgress(): boolean {
    return this.#inProgress.size > 0
  }
}
