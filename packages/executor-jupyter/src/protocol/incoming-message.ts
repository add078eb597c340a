import { types } from 'node:util'
import type { KernelMessage } from './message.ts'

/** Longest message, in bytes. A longer message ends the connection. A picture in a message is a third longer than its file. */
export const longestMessage = 128 * 2 ** 20

/** A message that has arrived and was not read: reading costs more than receiving. */
export interface IncomingMessage {
  readonly byteCount: number
  /** Type of the message, before its signature is checked; empty where the type is not near the beginning. */
  readonly type: string
  /** Returns `undefined` for an invalid message or signature. Call it once: it frees the memory. */
  read(): KernelMessage | undefined
}

/** Part of a message that is searched for its type, in bytes. A header has a few hundred bytes. */
const glanceBytes = 1_024

/** The type of a message, from bytes that begin with its header. */
export function peekType(bytes: Buffer): string {
  return /"msg_type":\s*"(\w+)"/.exec(bytes.toString('latin1', 0, glanceBytes))?.[1] ?? ''
}

/**
 * Frees the memory of bytes that are no longer needed, unless other bytes share it. The memory is outside of V8's heap, and V8 lets
 * 64 MiB of it wait for the garbage collector. Short buffers count as well: between long ones, they keep the system's allocator
 * from reusing memory.
 */
export function giveBack({ buffer, byteLength }: Buffer): void {
  if (types.isArrayBuffer(buffer) && buffer.byteLength === byteLength) buffer.transfer(0)
}
