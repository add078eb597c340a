/** An end that is older belongs to an earlier process with the same number, in milliseconds. */
const longestMs = 10_000

/** Ends that were reported of processes which have not answered yet, by their numbers. */
export class EarlyEnds {
  readonly #ends = new Map<number, { readonly status: number; readonly atMs: number }>()

  /** @param nowMs - the time of a monotonic clock. */
  add(processId: number, status: number, nowMs: number): void {
    for (const [id, { atMs }] of this.#ends) if (nowMs - atMs > longestMs) this.#ends.delete(id)
    this.#ends.set(processId, { status, atMs: nowMs })
  }

  /** Returns the end of a process and forgets it; `undefined` if none was reported, or only long ago. */
  take(processId: number, nowMs: number): number | undefined {
    const end = this.#ends.get(processId)
    this.#ends.delete(processId)
    return end === undefined || nowMs - end.atMs > longestMs ? undefined : end.status
  }
}
