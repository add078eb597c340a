import type { HostToolCall } from './host-tool.ts'
import { jsonText } from './json-text.ts'

/** How much of one value, and of all of a block, is kept, in UTF-16 code units of JSON. */
const longestValue = 65_536
const longestLog = 8 * 1_048_576

/** The calls of a block for its result: redacted, and within bounds whatever a program passes on. */
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
    const kept = error === undefined ? bounded : { ...bounded, error: this.#redact(error) as typeof error }
    this.calls.push(kept)
    return kept
  }

  /** @param counts - how much of the room it may take; 0 for what is counted later. */
  #bounded<Call extends Omit<HostToolCall, 'durationMs'>>(call: Call, counts: number): Call {
    const { input, output, ...rest } = call
    const kept: Record<string, unknown> = {}
    for (const [name, value] of Object.entries({ input, output })) {
      if (value === undefined) continue
      const { length } = jsonText(value)
      if (length > Math.min(longestValue, this.#room)) continue
      this.#room -= Math.min(length, counts)
      kept[name] = this.#redact(JSON.parse(jsonText(value)))
    }
    return { ...rest, ...kept } as Call
  }
}
