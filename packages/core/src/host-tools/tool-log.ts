import { createHash } from 'node:crypto'
import { shortened as shortenedText } from '@fenced/errors/text'
import type { HostToolCall, HostToolFailure, ShortenedValue } from '../vocabulary/host-tool.ts'
import { jsonText } from './json-text.ts'

/** Limits for one value, and for all values of a block, in UTF-16 code units of JSON. */
const longestValue = 65_536
const longestLog = 8 * 1_048_576
/** The same for the message of an error, and for one for which there is no more room. */
export const longestError = 8_192
const shortestError = 200
/** Kept length of a value that is too large, and of a value without remaining room. */
const longestStart = 4_096
const shortestStart = 200

/** The calls of a block for its result, redacted and bounded. */
export class ToolLog {
  readonly calls: HostToolCall[] = []
  readonly #redact: (value: unknown) => unknown
  #room = longestLog

  constructor(redact: (value: unknown) => unknown) {
    this.#redact = redact
  }

  /** A call for the event of its beginning. */
  begin<Call extends Omit<HostToolCall, 'durationMs'>>(call: Call): Call {
    return this.#bounded(call, 0)
  }

  /** A call that has ended, for the result and its event. */
  end(call: HostToolCall): HostToolCall {
    const { error } = call
    const bounded = this.#bounded(call, longestLog)
    const kept = error === undefined ? bounded : { ...bounded, error: this.#boundedError(error) }
    this.calls.push(kept)
    return kept
  }

  /** Redacted before it is cut: a part of a secret would not be found. */
  #boundedError(error: HostToolFailure): HostToolFailure {
    const redacted = this.#redact(error) as HostToolFailure
    const kept = shortened(redacted, Math.max(shortestError, Math.min(longestError, this.#room)))
    this.#room = Math.max(0, this.#room - kept.message.length)
    return kept
  }

  /** @param counts - how much of the room it may take; 0 for what is counted later. */
  #bounded<Call extends Omit<HostToolCall, 'durationMs'>>(call: Call, counts: number): Call {
    const { input, output, ...rest } = call
    const kept = { ...rest, ...this.#kept('input', input, counts), ...this.#kept('output', output, counts) }
    return kept as Call
  }

  #kept(name: 'input' | 'output', value: unknown, counts: number): object {
    const text = value === undefined ? undefined : textOf(value)
    if (text === undefined) return {}
    const redacted = this.#redact(JSON.parse(text))
    if (text.length <= Math.min(longestValue, this.#room)) {
      this.#room -= Math.min(text.length, counts)
      return { [name]: redacted }
    }
    const short = shortenedValue(jsonText(redacted), this.#room > longestStart ? longestStart : shortestStart)
    this.#room = Math.max(0, this.#room - Math.min(short.start.length, counts))
    return { [name === 'input' ? 'shortenedInput' : 'shortenedOutput']: short }
  }
}

function shortenedValue(json: string, longest: number): ShortenedValue {
  const sha256 = createHash('sha256').update(json).digest('hex')
  return { start: json.slice(0, longest), length: json.length, sha256 }
}

/** A program can send invalid JSON: the call is refused, and appears in the result without an input. */
function textOf(value: unknown): string | undefined {
  try {
    return jsonText(value)
  } catch {
    return undefined
  }
}

/** With so much of the message, in UTF-16 code units. */
export function shortened(failure: HostToolFailure, length: number): HostToolFailure {
  const { kind, message } = failure
  return { kind, message: shortenedText(message, length) }
}
