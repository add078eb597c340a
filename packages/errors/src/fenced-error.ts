import type { FencedErrorCode, ForeignCode } from './codes.ts'
import { visible } from './text.ts'

const brand = Symbol.for('fenced.FencedError')

/** The default behavior of `instanceof`. */
const isPrototypeInstance = Function.prototype[Symbol.hasInstance]

/** Results of the blocks before a failure. `@fenced/core` adds the other members of a `CodeResult`. */
export interface PartialResult {
  /** Text for the model: the `output` of every block, in order. */
  output: string
}

/** Fields for a new {@link FencedError}. */
export interface FencedErrorOptions {
  /** Stable code in SCREAMING_CASE that programs can switch on: one of Fenced's codes, or your own. */
  code: FencedErrorCode | ForeignCode
  /**
   * What happened, where, and what to do next. The error shows hidden characters as escapes, as `visible` does. Of a message
   * longer than 16,384 characters, it keeps only the beginning and the end.
   */
  message: string
  /** Values used in the message, keyed by name, unshortened and with hidden characters intact. */
  data?: Readonly<Record<string, string>> | undefined
  /** The error that caused this one. */
  cause?: unknown
  /** Results of the blocks before the failure, if an executor fails in the middle of a call. The status is `died`. */
  result?: PartialResult
}

/**
 * Thrown for misuse and infrastructure faults, such as invalid options or an executor that does not start. Errors in the user's
 * code are never thrown; they are reported in a `CodeResult`.
 */
export class FencedError extends Error {
  /** Stable code. `docs/errors.md` lists all of Fenced's codes and how to fix each error. */
  readonly code: FencedErrorCode | ForeignCode
  /**
   * Values used in the message, keyed by name, such as a path, an option name or a limit. They are exact, whereas the message
   * shows hidden characters as escapes and may be shortened.
   */
  readonly data?: Readonly<Record<string, string>>
  /** Results of the blocks before the failure, if an executor fails in the middle of a call. The status is `died`. */
  readonly result?: PartialResult

  /** @throws FencedError `INVALID_OPTIONS` for a name that is not a field. */
  constructor(input: FencedErrorOptions) {
    const { code, message, data, cause, result } = knownFields(input)
    super(visible(bounded(message)), cause === undefined ? undefined : { cause })
    this.name = 'FencedError'
    this.code = code
    if (data !== undefined) this.data = data
    if (result !== undefined) this.result = result
    Object.defineProperty(this, brand, { value: true })
  }

  static {
    // `instanceof` means the same. A class that extends this one has its own instances only.
    Object.defineProperty(FencedError, Symbol.hasInstance, {
      value(this: unknown, value: unknown): boolean {
        return this === FencedError ? FencedError.isInstance(value) : isPrototypeInstance.call(this, value)
      },
    })
  }

  /**
   * Whether `value` is a FencedError, including one from another installed copy of this package. `instanceof` gives the same
   * result.
   */
  static isInstance(value: unknown): value is FencedError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

const fields: Readonly<Record<keyof FencedErrorOptions, true>> = {
  code: true,
  message: true,
  data: true,
  cause: true,
  result: true,
}

/** Refuses a mistyped field, such as `couse`. The refusal quotes the message, so that the fault itself is not lost. */
function knownFields(input: FencedErrorOptions): FencedErrorOptions {
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length === 0) return input
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong options for FencedError: unknown ${unknown.map((name) => `\`${name}\``).join(', ')}. The options are \`${Object.keys(fields).join('`, `')}\`. The error was: ${input.message}`,
    data: { option: unknown.join(', ') },
    cause: input.cause,
  })
}

/** The longest message, in characters: what is quoted in one may come from an untrusted server. */
const maxMessageLength = 16_384
const keptAtStart = 6_144
const keptAtEnd = 2_048

function bounded(message: string): string {
  if (message.length <= maxMessageLength) return message
  const omitted = message.length - keptAtStart - keptAtEnd
  return `${message.slice(0, keptAtStart)} [${omitted} characters omitted] ${message.slice(-keptAtEnd)}`
}
