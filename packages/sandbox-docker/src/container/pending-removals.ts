import { setTimeout as delay } from 'node:timers/promises'
import { raceAbort, raceGrace } from '@fenced/shared'
import { EngineAnswerError } from '../engine/engine-answer.ts'

/** Removes something. @returns whether it is gone for good: `false` if it was not found, but may still appear. */
export type Removal = () => Promise<boolean>

/** Maximum number of concurrent removals. A slow removal must not delay all others. */
const mostAtATime = 8

/** How long a start that was cancelled waits for a removal, in milliseconds. */
const cancelledMs = 1_000

/** The pauses between attempts in the background, in milliseconds: an engine may hold a request for minutes. */
const backgroundPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, ...Array<number>(9).fill(30_000)]

/**
 * Containers that failed starts may have left on the engine: ones that could not be removed, and ones that may still appear
 * because the engine's answer was lost.
 */
export class PendingRemovals {
  readonly #removals = new Set<Removal>()
  /** First attempts that have not ended. None of them rejects. */
  readonly #underWay = new Set<Promise<void>>()
  /** The remaining pauses before the background gives up. */
  #pausesMs: number[] = []
  #background: Promise<void> | undefined

  get isEmpty(): boolean {
    return this.#removals.size === 0
  }

  /**
   * Removes something now, or otherwise later in the background.
   *
   * @param signal - Signal of the start. Once it is aborted, the call waits only briefly and the removal continues in the
   *   background.
   */
  async remove(removal: Removal, signal?: AbortSignal): Promise<void> {
    const removing = this.#attempt(removal)
    this.#underWay.add(removing)
    void removing.then(() => this.#underWay.delete(removing))
    if (signal !== undefined && (await raceAbort(removing, signal)) === 'aborted')
      await raceGrace(removing, cancelledMs)
    else await removing
  }

  /** Adds something to be removed by the next {@link removeAll}. */
  add(removal: Removal): void {
    this.#removals.add(removal)
  }

  /**
   * Removes everything that is left in the background, at increasing intervals, and gives up after about 5 minutes. It does not
   * keep this process alive; the next start on this machine removes what a process has left behind.
   */
  #removeLater(): void {
    this.#pausesMs = [...backgroundPausesMs]
    this.#background ??= this.#removeInBackground().finally(() => {
      this.#background = undefined
    })
  }

  /** Removes everything that the engine allows to be removed, several at a time. If it fails, it can be called again. */
  async removeAll(): Promise<void> {
    await Promise.all(this.#underWay)
    const left = [...this.#removals]
    const refusals: unknown[] = []
    const failures: unknown[] = []
    const removeNext = async () => {
      for (let removal = left.shift(); removal !== undefined; removal = left.shift()) {
        try {
          if (await removal()) this.#removals.delete(removal)
        } catch (error) {
          if (isRefusal(error)) refusals.push(error)
          else failures.push(error)
          // An engine that does not answer is asked for nothing more.
          if (failures.length > 0) return
        }
      }
    }
    await Promise.all(Array.from({ length: mostAtATime }, removeNext))
    const [error = refusals[0]] = failures
    if (error !== undefined) throw error
  }

  async #attempt(removal: Removal): Promise<void> {
    const isGone = await removal().catch(() => false)
    if (isGone) return
    this.add(removal)
    this.#removeLater()
  }

  async #removeInBackground(): Promise<void> {
    for (let pauseMs = this.#pausesMs.shift(); pauseMs !== undefined; pauseMs = this.#pausesMs.shift()) {
      await delay(pauseMs, undefined, { ref: false })
      await this.removeAll().catch(() => {})
      if (this.isEmpty) return
    }
  }
}

/** Whether the engine has answered, so that it can be asked for the next removal. */
function isRefusal(error: unknown): boolean {
  return [error, (Object(error) as { cause?: unknown }).cause].some(
    (each) => each instanceof EngineAnswerError,
  )
}
