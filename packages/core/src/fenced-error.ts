import type { CodeResult } from './code-result.ts'
import type { FencedErrorCode, ForeignCode } from './codes.ts'
import { visible } from './text.ts'

const brand = Symbol.for('fenced.FencedError')

/** The default behavior of `instanceof`. */
const isPrototypeInstance = Function.prototype[Symbol.hasInstance]

/** The fields of a new {@link FencedError}. */
export interface FencedErrorOptions {
  /** Stable, in SCREAMING_CASE: programs may switch on it. One of Fenced's own, or your own. */
  code: FencedErrorCode | ForeignCode
  /**
   * What happened, where, and what to do next. The error shows its hidden characters as escapes, as `visible` does, and only the
   * beginning and the end of a message over 16,384 characters.
   */
  message: string
  /** The values in the message, by name: unshortened, with hidden characters. */
  data?: Readonly<Record<string, string>> | undefined
  /** The error that led to this one. */
  cause?: unknown
  /** The result of the blocks before the failure, when an executor fails in the middle of a call; its status is `died`. */
  result?: CodeResult
}

/**
 * Thrown for misuse and for faults of the infrastructure: wrong options, an executor that does not start. What the
 * user's code does wrong is never thrown; it is a {@link CodeResult}.
 */
export class FencedError extends Error {
  /** Stable code. `docs/errors.md` lists every code of Fenced with its remedy. */
  readonly code: FencedErrorCode | ForeignCode
  /**
   * The values in the message, by name, for programs: a path, the name of an option, a limit. They are exact, where the message
   * shows hidden characters as escapes and may be shortened.
   */
  readonly data?: Readonly<Record<string, string>>
  /** The result of the blocks before the failure, when an executor fails in the middle of a call; its status is `died`. */
  readonly result?: CodeResult

  constructor({ code, message, data, cause, result }: FencedErrorOptions) {
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

  /** Whether `value` is a FencedError, including one of another installed copy of this package. `instanceof` gives the same answer. */
  static isInstance(value: unknown): value is FencedError {
    return typeof value === 'object' && value !== null && brand in value
  }
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
