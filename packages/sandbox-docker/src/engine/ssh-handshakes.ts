/** How many logins to one host may be under way at once. sshd drops logins at random from 10 on (`MaxStartups 10:30:100`). */
const mostAtOnce = 5

/** How long a login counts as under way at most, in milliseconds: a connection whose engine works in silence has one no more. */
const longestMs = 5_000

/** Limits the logins of this process to one host that are under way at the same time. */
class SshHandshakes {
  #count = 0
  readonly #waiting: (() => void)[] = []

  /** Waits for room. @returns ends the login; it can be called again. */
  async enter(): Promise<() => void> {
    if (this.#count >= mostAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#count++
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      this.#leave()
    }
    const timer = setTimeout(leave, longestMs).unref()
    return leave
  }

  /** The next one takes the room over. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#count--
    else next()
  }
}

const handshakes = new Map<string, SshHandshakes>()

/** Those to a destination, for all engines of this process. */
export function handshakesTo(destination: string): SshHandshakes {
  const known = handshakes.get(destination) ?? new SshHandshakes()
  handshakes.set(destination, known)
  return known
}
