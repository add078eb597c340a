import { EngineAnswerError } from '../engine/engine-answer.ts'

/** Removes something. @returns whether it is gone for good: `false` when it was not there, but may yet come. */
export type Removal = () => Promise<boolean>

/** How many removals an engine is asked for at a time, so that one that takes long delays no other. */
const mostAtATime = 8

/**
 * What failed starts may have left on the engine: a container that could not be removed, or one that may yet come to
 * be because the engine's answer was lost.
 */
export class PendingRemovals {
  readonly #removals = new Set<Removal>()

  get isEmpty(): boolean {
    return this.#removals.size === 0
  }

  /** Removes it now, or else later. */
  async remove(removal: Removal): Promise<void> {
    const isGone = await removal().catch(() => false)
    if (!isGone) this.add(removal)
  }

  /** Removes it with the next {@link removeAll}. */
  add(removal: Removal): void {
    this.#removals.add(removal)
  }

  /** Removes all that the engine does not refuse to remove, several at a time. After a failure it can be called again. */
  async removeAll(): Promise<void> {
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
}

/** Whether the engine has answered, so that it can be asked for the next removal. */
function isRefusal(error: unknown): boolean {
  return [error, (Object(error) as { cause?: unknown }).cause].some(
    (each) => each instanceof EngineAnswerError,
  )
}
