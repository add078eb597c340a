import { setTimeout as sleep } from 'node:timers/promises'
import type { KernelMessage } from '../protocol/message.ts'
import { type CellIo, CellOutput } from './cell-output.ts'
import { exitCodeOfReply } from './exit-code.ts'

/** How a cell ended. `how` is a part of a sentence about the kernel: `ended with exit code 3`. */
export type CellEnd =
  | { readonly kind: 'done'; readonly exitCode: number }
  | { readonly kind: 'died'; readonly how: string }
  | { readonly kind: 'lost'; readonly error: unknown }

/** How long a kernel may stay silent between its reply to a cell and `idle`, which ends the cell's output. */
const idleGraceMs = 5_000

/** One run of code in a kernel: it has ended when the kernel has replied, and said that it is idle again. */
export class Cell {
  readonly ended: Promise<CellEnd>
  readonly #end: (end: CellEnd) => void
  readonly #output: CellOutput
  #reply: KernelMessage | undefined
  #isIdle = false
  #messageCount = 0

  constructor(io: CellIo) {
    this.#output = new CellOutput(io)
    const { promise, resolve } = Promise.withResolvers<CellEnd>()
    this.ended = promise
    this.#end = resolve
  }

  /** What was on its way when the connection was lost did not arrive, and nobody can tell what that was. */
  tellRestored(): void {
    this.#output.tellRestored()
  }

  get hasReply(): boolean {
    return this.#reply !== undefined
  }

  take(message: KernelMessage): void {
    this.#messageCount++
    const { channel, header, content } = message
    if (channel === 'iopub') {
      if (header.msg_type === 'status') this.#isIdle ||= content.execution_state === 'idle'
      else this.#output.take(message)
    } else if (header.msg_type === 'execute_reply') {
      this.#reply = message
      this.#output.page(content.payload)
      if (!this.#isIdle) void this.#endWhenSilent(message)
    }
    if (this.#isIdle && this.#reply !== undefined) this.#done(this.#reply)
  }

  /** What it did is not known, or not any more. */
  giveUp(end: Exclude<CellEnd, { kind: 'done' }>): void {
    this.#end(end)
  }

  /** For a kernel, or a connection, that loses the last message: the reply alone tells how the cell ended. */
  async #endWhenSilent(reply: KernelMessage): Promise<void> {
    for (let seen = -1; seen !== this.#messageCount && !this.#isIdle; ) {
      seen = this.#messageCount
      await sleep(idleGraceMs, undefined, { ref: false })
    }
    this.#done(reply)
  }

  #done(reply: KernelMessage): void {
    this.#end({ kind: 'done', exitCode: exitCodeOfReply(reply) })
  }
}
