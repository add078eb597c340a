import { setTimeout as sleep } from 'node:timers/promises'
import type { RaisedError } from '@fenced/core/driver'
import { pendingReads } from '@fenced/shared'
import type { KernelMessage } from '../protocol/message.ts'
import { type CellIo, CellOutput } from './cell-output.ts'
import { exitCodeOfReply } from './exit-code.ts'
import type { KernelDeath } from './kernel.ts'
import { errorOfReply } from './kernel-error-data.ts'
import { outputName } from './setup-code.ts'

/** How a cell ended. */
export type CellEnd =
  | DoneCell
  | ({ readonly kind: 'died' } & KernelDeath)
  | { readonly kind: 'lost'; readonly error: unknown }

interface DoneCell {
  readonly kind: 'done'
  readonly exitCode: number
  readonly error?: RaisedError | undefined
  /** Text of the value, where the cell was one expression. */
  readonly value?: string | undefined
  /** Number of the cell, as in `In [3]`, where the kernel has counted it. */
  readonly number?: number | undefined
}

/** How long a kernel may stay silent between its reply to a cell and `idle`, which ends the cell's output. */
const idleGraceMs = 5_000

/** One run of code in a kernel. It ends when the kernel has replied and is idle, or when a reply contains all of the output. */
export class Cell {
  readonly ended: Promise<CellEnd>
  readonly #end: (end: CellEnd) => void
  readonly #output: CellOutput
  #reply: KernelMessage | undefined
  /** Whether the kernel has reported the end of its work on this cell. The reply can come later. */
  isIdle = false
  #hasEnded = false
  /** How many messages have come for it. */
  messageCount = 0
  /** Whether the reader of the output holds back what comes next. */
  #isHeldBack = false

  constructor(io: CellIo) {
    this.#output = new CellOutput(io)
    const { promise, resolve } = Promise.withResolvers<CellEnd>()
    this.ended = promise
    this.#end = resolve
  }

  /** Reports that messages may be missing because the connection was lost. */
  reportRestored(): void {
    this.#output.reportRestored()
  }

  /** Reports messages of the kernel that did not arrive. */
  reportMissing(messageCount: number): void {
    this.#output.reportMissing(messageCount)
  }

  get hasReply(): boolean {
    return this.#reply !== undefined
  }

  dropped(byteCount: number): void {
    this.#output.dropped(byteCount)
  }

  /** @returns a promise when the reader of the output is slow: the next message must wait for it. */
  take(message: KernelMessage): void | Promise<void> {
    this.messageCount++
    const { channel, header, content } = message
    if (channel === 'iopub') {
      if (header.msg_type !== 'status') return this.#takeOutput(message)
      this.isIdle ||= content.execution_state === 'idle'
    } else if (header.msg_type === 'execute_reply') {
      this.#reply = message
      const output = outputOfReply(message)
      if (output !== undefined) return this.#takeWhole(message, output)
      this.#output.ended()
      if (!this.isIdle) void this.#endWhenSilent(message)
    }
    if (this.isIdle && this.#reply !== undefined) this.#done(this.#reply)
  }

  /** Ends the cell. Later messages do not belong to it. */
  endWith(end: CellEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#output.end()
    this.#end(end)
  }

  #takeWhole(reply: KernelMessage, output: readonly KernelMessage['content'][]): void | Promise<void> {
    this.isIdle = true
    const rooms = output.map((written) => this.#output.stream(written)).filter((room) => room !== undefined)
    this.#output.ended()
    if (rooms.length === 0) return this.#done(reply)
    return Promise.all(rooms).then(() => this.#done(reply))
  }

  #takeOutput(message: KernelMessage): void | Promise<void> {
    const room = this.#output.take(message)
    if (room === undefined) return
    this.#isHeldBack = true
    return room.finally(() => {
      this.#isHeldBack = false
    })
  }

  /** Ends the cell by its reply alone, when the last message is lost. */
  async #endWhenSilent(reply: KernelMessage): Promise<void> {
    for (let seen = -1; (this.#isHeldBack || seen !== this.messageCount) && !this.isIdle; ) {
      seen = this.messageCount
      await sleep(idleGraceMs, undefined, { ref: false })
      await pendingReads()
    }
    if (!this.isIdle && !this.#hasEnded) this.#output.reportMissingEnd()
    this.#done(reply)
  }

  #done(reply: KernelMessage): void {
    if (!this.#hasEnded) this.#output.payload(reply.content.payload)
    const { execution_count: number } = reply.content
    this.endWith({
      ...{ kind: 'done', exitCode: exitCodeOfReply(reply), value: valueInReply(reply) },
      error: errorOfReply(reply),
      number: typeof number === 'number' ? number : undefined,
    })
  }
}

/** The output of a cell that came with its reply; then nothing else comes of it. */
export function outputOfReply({ metadata }: KernelMessage): readonly KernelMessage['content'][] | undefined {
  const output = metadata[outputName]
  return Array.isArray(output) ? output : undefined
}

function valueInReply({ content }: KernelMessage): string | undefined {
  const { expression } = Object(content.user_expressions) as {
    expression?: { data?: Record<string, unknown> }
  }
  const value = Object(expression?.data)['text/plain']
  return typeof value === 'string' ? value : undefined
}
