import type { CodeResult } from './code-result.ts'

const brand = Symbol.for('fenced.FencedError')

/** What a {@link FencedError} is made of. */
export interface FencedErrorOptions {
  /** Stable, in SCREAMING_CASE: programs may switch on it. */
  code: string
  /** What happened, where, and what to do next. */
  message: string
  /** The error that led to this one. */
  cause?: unknown
  /** What had been run when a place failed in the middle of a call; its status is `died`. */
  result?: CodeResult
}

/**
 * Thrown for misuse and for faults of the infrastructure: wrong options, a place that does not start. What the
 * user's code does wrong is never thrown; it is a {@link CodeResult}.
 */
export class FencedError extends Error {
  readonly code: string
  /** What had been run when a place failed in the middle of a call; its status is `died`. */
  readonly result?: CodeResult

  constructor({ code, message, cause, result }: FencedErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FencedError'
    this.code = code
    if (result !== undefined) this.result = result
    Object.defineProperty(this, brand, { value: true })
  }

  /** Whether `value` is a FencedError, also one of another installed copy of this package. */
  static isInstance(value: unknown): value is FencedError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
