/** How many displays of one id an update changes, the last ones: each update becomes that many results. */
const mostUpdated = 16
/** Number of ids per cell, and their length. Beyond these limits each id is one display. */
const mostIds = 10_000
const longestId = 1_000

/**
 * Names of a cell's displays as results. A program can show several displays with one id: each is a separate result, and an update
 * changes all of them.
 */
export class DisplayNames {
  readonly #ofId = new Map<string, { count: number; last: string[] }>()

  /** Names a display that is shown. */
  add(displayId: string): string {
    const displays = this.#ofId.get(displayId) ?? { count: 0, last: [] }
    if (displays.count === 0) {
      if (this.#ofId.size >= mostIds || displayId.length > longestId) return displayId
      this.#ofId.set(displayId, displays)
    }
    displays.count++
    const name = displays.count === 1 ? displayId : `${displayId}\0${displays.count}`
    displays.last.push(name)
    if (displays.last.length > mostUpdated) displays.last.shift()
    return name
  }

  /** The displays that an update changes. An unknown id is a new display. */
  shown(displayId: string): readonly string[] {
    return this.#ofId.get(displayId)?.last ?? [this.add(displayId)]
  }

  clear(): void {
    this.#ofId.clear()
  }
}
