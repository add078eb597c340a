/** Removes something. @returns whether it is gone for good: `false` when it was not there, but may yet come. */
export type Removal = () => Promise<boolean>

/**
 * What failed starts may have left on the engine: a container that could not be removed, or one that may yet come to
 * be because the engine's answer was lost.
 */
export class PendingRemovals {
  readonly #removals = new Set<Removal>()

  /** Removes it now, or else later. */
  async remove(removal: Removal): Promise<void> {
    const isGone = await removal().catch(() => false)
    if (!isGone) this.add(removal)
  }

  /** Removes it with the next {@link removeAll}. */
  add(removal: Removal): void {
    this.#removals.add(removal)
  }

  /** After a failure it can be called again. */
  async removeAll(): Promise<void> {
    for (const removal of this.#removals) {
      if (await removal()) this.#removals.delete(removal)
    }
  }
}
