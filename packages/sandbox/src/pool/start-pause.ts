/** How long after a failure the next start comes that no caller waits for, in milliseconds: twice as long each time. */
const shortestMs = 1_000
const longestMs = 60_000

/** The pause after a failed start. */
export class StartPause {
  #nextMs = shortestMs
  #timer: NodeJS.Timeout | undefined

  get isOn(): boolean {
    return this.#timer !== undefined
  }

  /** @param onEnd - called at the end. */
  begin(onEnd: () => void): void {
    clearTimeout(this.#timer)
    const end = () => {
      this.#timer = undefined
      onEnd()
    }
    this.#timer = setTimeout(end, this.#nextMs).unref()
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs)
  }

  /** A start succeeded: the next pause is short again. */
  reset(): void {
    this.#nextMs = shortestMs
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
