import type { Notice } from '@fenced/core'
import { z } from 'zod'
import type { CodeExecutorAgentSettings } from './options.ts'

/** How far the tries for one answer have come. */
interface Progress {
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
    return { code: 'retries-used-up', message, data: { limit: `${maxRetriesOnError + 1}` } }
  }
  if (retryTimeLimitMs !== undefined && performance.now() - startedAt >= retryTimeLimitMs) {
    const message = `The time for tries (${retryTimeLimitMs} ms) is over, so no further one was made.`
    return { code: 'retry-time-over', message, data: { limitMs: `${retryTimeLimitMs}` } }
  }
  if (retryTokenLimit !== undefined && usedTokens() >= retryTokenLimit) {
    const message = `The tokens for tries (${retryTokenLimit}) are used up, so no further one was made.`
    return { code: 'retry-tokens-used-up', message, data: { limit: `${retryTokenLimit}` } }
  }
  return undefined
}

/** What a model decides after a failure. */
export interface RetryDecision {
  /** What the next program changes; or why no program can solve it. */
  reason: string
  /** Whether there is a next program. */
  retry: boolean
}

/** Also takes the words true and false, as some models write them. */
export const retryDecisionSchema: z.ZodType<RetryDecision> = z.object({
  reason: z
    .string()
    .describe('What went wrong and what the next program changes; or why no program can solve it.'),
  retry: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
    .describe('Whether another program can solve it.'),
}) as z.ZodType<RetryDecision>

/** The question after a failure. */
export function retryQuestion(
  { content, isDenied }: { readonly content: string; readonly isDenied: boolean },
  isRepeatedFailure: boolean,
): string {
  const what = isDenied ? 'The program was not run' : 'The program did not work'
  const repeated = isRepeatedFailure
    ? '\n\nThe program before this one was the same, or failed in the same way. Another correction of it is not enough: choose a different approach, or answer that there is none.'
    : ''
  return `${what}:\n\n${content}${repeated}\n\nDecide whether another program can solve the task, and how it will be different. Do not write it yet.`
}
