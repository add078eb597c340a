import type { KernelMessage } from '../protocol/message.ts'
import { markType, sentName } from './setup-code.ts'

/** Compares the messages that a kernel has published with those that have arrived. */
export class SentCount {
  /** `undefined` where the kernel does not count, and where a lost connection was reported. */
  #arrived: number | undefined

  /** Takes a message of `iopub`. @returns how many messages are missing before it. */
  take({ header, metadata, content }: KernelMessage): number {
    if (header.msg_type === markType && String(content.sent) === '0,0') {
      this.#arrived = 0
      return 0
    }
    const sent = metadata[sentName]
    const missing = typeof sent === 'number' ? Math.max(0, sent - (this.#arrived ?? sent)) : 0
    this.add(missing + 1)
    return missing
  }

  /** Counts messages that were dropped here, which is reported elsewhere. */
  add(count: number): void {
    if (this.#arrived !== undefined) this.#arrived += count
  }

  /** Ends the comparison. */
  stop(): void {
    this.#arrived = undefined
  }
}
