import type { Notice } from '@fenced/core'
import type { CodeExecutorAgentSettings } from './options.ts'

/** How far the tries for one answer have come. */
export interface Progress {
  /** Of the last try, from 0. */
  readonly number: number
  /** By `performance.now()`. */
  readonly startedAt: number
  readonly usedTokens: () => number
}

/** Why no further try may be made, as far as failures repeat themselves; `undefined` where one may. */
export function repeatedTooOften(
  repetitions: number,
  { onRepeatedFailure }: Pick<CodeExecutorAgentSettings, 'onRepeatedFailure'>,
): Notice | undefined {
  if (repetitions < (onRepeatedFailure === 'stop' ? 1 : 2)) return undefined
  const message =
    'The same program, or one that failed in the same way, came again, so no further try was made.'
  return { code: 'failure-repeated', message }
}

/** Why no further try may be made, as far as there are limits; `undefined` where one may. */
export function overLimit(
  { number, startedAt, usedTokens }: Progress,
  { maxRetriesOnError, retryTimeLimitMs, retryTokenLimit }: CodeExecutorAgentSettings,
): Notice | undefined {
  if (number >= maxRetriesOnError) {
    const message = `All tries (${maxRetriesOnError + 1}) are used up, so no further one was made.`
    return { code: 'retries-used-up', message }
  }
  if (retryTimeLimitMs !== undefined && performance.now() - startedAt >= retryTimeLimitMs) {
    const message = `The time for tries (${retryTimeLimitMs} ms) is over, so no further one was made.`
    return { code: 'retry-time-over', message }
  }
  if (retryTokenLimit !== undefined && usedTokens() >= retryTokenLimit) {
    const message = `The tokens for tries (${retryTokenLimit}) are used up, so no further one was made.`
    return { code: 'retry-tokens-used-up', message }
  }
  return undefined
}
