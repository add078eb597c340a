/** Numbers that look random and are the same in every run: mulberry32. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from + 1))
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.whole(0, items.length - 1)] as Item
  }
}
