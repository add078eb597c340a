import type { Notice } from '../code-result.ts'

/** The number of notices of a start that are kept for callers that join later. */
const mostKept = 20

type OnNotice = (notice: Notice) => void

/** The notices of one start, for all callers that wait for it. */
export class StartNotices {
  readonly #listeners = new Set<OnNotice>()
  readonly #kept: Notice[] = []

  add(notice: Notice): void {
    this.#kept.push(notice)
    if (this.#kept.length > mostKept) this.#kept.shift()
    for (const listener of this.#listeners) listener(notice)
  }

  /** Listens until it is disposed, also to the last notices before. */
  listen(onNotice: OnNotice | undefined): Disposable {
    if (onNotice === undefined) return { [Symbol.dispose]: () => {} }
    const listener: OnNotice = (notice) => onNotice(notice)
    for (const notice of [...this.#kept]) listener(notice)
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
