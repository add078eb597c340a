import type { CodeBlock, CodeResult, Notice } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'
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

/** A program that failed, so that the next one can be compared with it. */
export interface Failure {
  readonly codeHash: string
  /** How it failed, without what differs from one run to the next; empty when it did not say. */
  readonly error: string
}

/** What is compared of a program that failed. */
export function failureOf(
  blocks: readonly CodeBlock[],
  { output, status }: Pick<CodeResult, 'output' | 'status'>,
): Failure {
  const error = normalizedError(output)
  return { codeHash: codeHash(blocks), error: error === '' ? '' : `${status}: ${error}` }
}

/** Whether a program, or the way in which it failed, is the one before. */
export function isRepeated({ codeHash: hash, error }: Failure, before: Failure | undefined): boolean {
  return before !== undefined && (hash === before.codeHash || (error !== '' && error === before.error))
}

/** The failures of one answer: notices what comes again, also in turn with others. */
export class FailureHistory {
  readonly #programs = new Set<string>()
  #last: Failure | undefined
  #repetitions = 0

  /** Returns how many failures in a row were repetitions, this one included. */
  add(failure: Failure): number {
    const isKnown = isRepeated(failure, this.#last) || this.#programs.has(failure.codeHash)
    this.#repetitions = isKnown ? this.#repetitions + 1 : 0
    this.#programs.add(failure.codeHash)
    this.#last = failure
    return this.#repetitions
  }
}

/** The last line that says what went wrong, without numbers, addresses, directories and made-up file names. */
function normalizedError(output: string): string {
  const lines = output.slice(-16_384).trimEnd().split(/\r?\n/)
  const last = lines.findLast(saysSomething) ?? lines.findLast((line) => line.trim() !== '') ?? ''
  return last
    .trim()
    .replace(/0x[\da-f]+/gi, '#')
    .replace(/(?:[A-Za-z]:)?[\\/](?:[^\s\\/'":]+[\\/])+/g, '')
    .replace(/\.fenced-[\da-f]+/g, '')
    .replace(/\d+/g, '#')
}

/** Where an error was, as the indented lines tell, is not what it was; Node.js ends with its own version. */
function saysSomething(line: string): boolean {
  return /^(?=\S).*\p{Letter}/u.test(line) && !/^Node\.js v\d/.test(line)
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
