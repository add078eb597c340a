import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long one piece of work may keep the event loop from others, in milliseconds. */
const longestTurnMs = 5

/** Divides work that is long only in a great directory, so that it is done at once in any other. */
export class Turns {
  #endsAt = performance.now() + longestTurnMs

  /** Whether to wait for {@link next} before going on. */
  get isOver(): boolean {
    return performance.now() > this.#endsAt
  }

  /** Resolves when others had theirs. */
  async next(): Promise<void> {
    await nextTurn()
    this.#endsAt = performance.now() + longestTurnMs
  }
}
