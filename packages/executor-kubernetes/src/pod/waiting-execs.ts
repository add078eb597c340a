import type { ExecSocket } from './exec-socket.ts'
import { beginCommand, type ExecTarget, openExec } from './open-exec.ts'

/** Number of waiting execs: one for a block, and one for a process beside it. */
const count = 2

/** Idle timeout of a waiting exec, in milliseconds: an idle pod should not use connections. */
const waitMs = 60_000

/**
 * Execs that wait for a command, whichever it will be. A cluster takes some hundred milliseconds to open one, over four machines,
 * and a command that meets one is there in the time of a packet.
 */
export class WaitingExecs {
  readonly #target: ExecTarget
  readonly #waiting = new Set<ExecSocket>()
  readonly #closed = new AbortController()
  #opening = 0
  #timer: NodeJS.Timeout | undefined

  constructor(target: ExecTarget) {
    this.#target = target
  }

  /**
   * Starts a command in a waiting exec, or in a new exec.
   *
   * @param input - what `bootInput` returns.
   * @throws FencedError, and the reason of the signal. Nothing has begun then.
   */
  async begin(input: string, signal: AbortSignal): Promise<ExecSocket> {
    const { cluster } = this.#target
    const [first] = this.#waiting
    if (first !== undefined) {
      this.#waiting.delete(first)
      first.ref()
      try {
        return await beginCommand(first, { cluster, input, signal })
      } catch {
        // It was lost while it waited.
        signal.throwIfAborted()
      }
    }
    return beginCommand(await openExec(this.#target, { signal }), { cluster, input, signal })
  }

  /** Opens as many as there were, in the background. */
  prepare(): void {
    clearTimeout(this.#timer)
    if (this.#closed.signal.aborted) return
    this.#timer = setTimeout(() => this.#dismiss(), waitMs).unref()
    while (this.#waiting.size + this.#opening < count) void this.#open()
  }

  close(): void {
    this.#closed.abort()
    clearTimeout(this.#timer)
    this.#dismiss()
  }

  async #open(): Promise<void> {
    this.#opening++
    try {
      const socket = await openExec(this.#target, { signal: this.#closed.signal })
      socket.unref()
      this.#waiting.add(socket)
      void socket.ended.then(() => this.#waiting.delete(socket))
      if (this.#closed.signal.aborted) this.#dismiss()
    } catch {
      // Who needs one hears why there is none.
    } finally {
      this.#opening--
    }
  }

  #dismiss(): void {
    for (const socket of this.#waiting) socket.destroy()
    this.#waiting.clear()
  }
}
