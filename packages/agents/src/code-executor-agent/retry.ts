import type { Notice } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { RanProgram } from '../running/run-program.ts'
import type { CodeExecutorAgentSettings } from './options.ts'

interface Progress {
  /** Number of the last attempt, from 0. */
  readonly number: number
  /** By `performance.now()`. */
  readonly startedAt: number
  readonly usedTokens: () => number
}

/** Why repeated failures end the attempts; `undefined` to continue. */
export function repeatedTooOften(
  repetitions: number,
  { onRepeatedFailure }: Pick<CodeExecutorAgentSettings, 'onRepeatedFailure'>,
): Notice | undefined {
  if (repetitions < (onRepeatedFailure === 'stop' ? 1 : 2)) return undefined
  const message = 'Gave up: the model repeated a program, or its program failed in the same way.'
  return { code: 'failure-repeated', message }
}

/** Why a limit ends the attempts; `undefined` to continue. */
export function overLimit(
  { number, startedAt, usedTokens }: Progress,
  { maxRetriesOnError, retryTimeoutMs, retryTokenLimit }: CodeExecutorAgentSettings,
): Notice | undefined {
  if (number >= maxRetriesOnError) {
    const message = `Gave up after ${maxRetriesOnError + 1} attempts.`
    return { code: 'retries-used-up', message, data: { limit: `${maxRetriesOnError + 1}` } }
  }
  if (retryTimeoutMs !== undefined && performance.now() - startedAt >= retryTimeoutMs) {
    const message = `Gave up at the time limit of ${retryTimeoutMs} ms.`
    return { code: 'retry-time-over', message, data: { limitMs: `${retryTimeoutMs}` } }
  }
  if (retryTokenLimit !== undefined && usedTokens() >= retryTokenLimit) {
    const message = `Gave up at the limit of ${retryTokenLimit} tokens.`
    return { code: 'retry-tokens-used-up', message, data: { limit: `${retryTokenLimit}` } }
  }
  return undefined
}

export interface RetryDecision {
  /** What the next program changes; or why no program can solve it. */
  reason: string
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

export function retryQuestion(
  { content, result }: Pick<RanProgram, 'content' | 'result'>,
  isRepeatedFailure: boolean,
): string {
  const what = result.status === 'denied' ? 'The program was not run' : 'The program did not work'
  const repeated = isRepeatedFailure
    ? '\n\nThe program before this one was the same, or failed in the same way. Another correction of it is not enough: choose a different approach, or answer that there is none.'
    : ''
  return `${what}:\n\n${content}${repeated}\n\nDecide whether another program can solve the task, and how it will be different. Do not write it yet.`
}
