import { types } from 'node:util'
import type { KernelMessage } from './message.ts'

/** The longest message that is taken, in bytes: a picture in it is a third longer than its file. A longer one ends the connection. */
export const longestMessage = 128 * 2 ** 20

/** A message that has arrived and has not been read: to read it costs more than to receive it. */
export interface IncomingMessage {
  readonly byteCount: number
  /** Its kind as its sender names it, before any signature is checked; empty where that cannot be seen at a glance. */
  readonly type: string
  /** `undefined` when it is no message, or not signed as it must be. Only once: the memory it lies in is given back. */
  read(): KernelMessage | undefined
}

/** How much of a message is looked at for its kind, in bytes: a header is a few hundred. */
const glanceBytes = 1_024

/** The kind of a message, from the bytes that begin with its header. */
export function typeAtAGlance(bytes: Buffer): string {
  return /"msg_type":\s*"(\w+)"/.exec(bytes.toString('latin1', 0, glanceBytes))?.[1] ?? ''
}

/**
 * Gives back the memory of bytes that nobody needs any more, unless they share it. It is no part of V8's heap, which lets
 * 64 MiB of such memory wait for the garbage collector. Short ones count as well: left between the memory of long ones,
 * they keep the system's allocator from using that again.
 */
export function giveBack({ buffer, byteLength }: Buffer): void {
  if (types.isArrayBuffer(buffer) && buffer.byteLength === byteLength) buffer.transfer(0)
}
