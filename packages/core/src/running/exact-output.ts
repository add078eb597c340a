import { isUtf8 } from 'node:buffer'
import type { ExecutionEvent } from '../execution.ts'

/** An event with output as text. */
export type OutputEvent = Extract<ExecutionEvent, { type: 'stdout' | 'stderr' }>

/** Hidden in events, which are plain data for logs and pages: bytes that the text does not represent. */
const key = Symbol.for('fenced.exactBytes')

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns an event for output. The memory of the bytes may be used again. */
export function outputEvent(type: OutputEvent['type'], index: number, bytes: Uint8Array): OutputEvent {
  const event = { type, index, text: decoder.decode(bytes) }
  return isUtf8(bytes) ? event : withBytes(event, Uint8Array.from(bytes))
}

/** Returns one event for two of one stream. */
export function joinedOutput(first: OutputEvent, second: OutputEvent): OutputEvent {
  const event = { ...second, text: first.text + second.text }
  if (hiddenIn(first) === undefined && hiddenIn(second) === undefined) return event
  return withBytes(event, Buffer.concat([bytesOfOutput(first), bytesOfOutput(second)]))
}

/** Returns the bytes of an event as the program wrote them; of a copy of an event, its text as UTF-8. */
export function bytesOfOutput(event: OutputEvent): Uint8Array {
  return hiddenIn(event) ?? Buffer.from(event.text)
}

function withBytes(event: OutputEvent, bytes: Uint8Array): OutputEvent {
  return Object.defineProperty(event, key, { value: bytes })
}

function hiddenIn(event: OutputEvent): Uint8Array | undefined {
  return Reflect.get(event, key)
}
