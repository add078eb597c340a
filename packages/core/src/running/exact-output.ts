import { isUtf8 } from 'node:buffer'
import type { ExecutionEvent } from '../execution.ts'

/** An event with output as text. */
export type OutputEvent = Extract<ExecutionEvent, { type: 'stdout' | 'stderr' }>

/** Beside the events, which are plain data for logs and pages: bytes that the text of an event does not represent. */
const exactBytes = new WeakMap<OutputEvent, Uint8Array>()

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns an event for output. The memory of the bytes may be used again. */
export function outputEvent(type: OutputEvent['type'], index: number, bytes: Uint8Array): OutputEvent {
  const event = { type, index, text: decoder.decode(bytes) }
  if (!isUtf8(bytes)) exactBytes.set(event, Uint8Array.from(bytes))
  return event
}

/** Returns one event for two of one stream. */
export function joinedOutput(first: OutputEvent, second: OutputEvent): OutputEvent {
  const event = { ...second, text: first.text + second.text }
  if (exactBytes.has(first) || exactBytes.has(second))
    exactBytes.set(event, Buffer.concat([bytesOfOutput(first), bytesOfOutput(second)]))
  return event
}

/** Returns the bytes of an event as the program wrote them; of a copy of an event, its text as UTF-8. */
export function bytesOfOutput(event: OutputEvent): Uint8Array {
  return exactBytes.get(event) ?? Buffer.from(event.text)
}
