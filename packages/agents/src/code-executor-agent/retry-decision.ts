import { z } from 'zod'

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
