import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

const limit = z.int().positive().optional()

export const tokenUsageTerminationOptionsSchema = z
  .strictObject({ maxTotalTokens: limit, maxInputTokens: limit, maxOutputTokens: limit })
  .refine((limits) => Object.values(limits).some((one) => one !== undefined), 'at least one limit is needed')

/** Options of {@link TokenUsageTermination}: at least one of them. */
export interface TokenUsageTerminationOptions {
  /** What models have read and written together. Default: no limit. */
  readonly maxTotalTokens?: number | undefined
  /** What models have read. Default: no limit. */
  readonly maxInputTokens?: number | undefined
  /** What models have written. Default: no limit. */
  readonly maxOutputTokens?: number | undefined
}

/**
 * Met when the models of all speakers have used so many tokens in one run. It is known at the end of a turn, so a turn may
 * go beyond the limit.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenUsageTermination extends Termination {
  static readonly provider: string = 'TokenUsageTermination'
  readonly options: z.output<typeof tokenUsageTerminationOptionsSchema>

  constructor(options: TokenUsageTerminationOptions) {
    super()
    this.options = parseOptions(tokenUsageTerminationOptionsSchema, options, 'TokenUsageTermination')
  }

  begin(): TerminationCheck {
    const { maxTotalTokens, maxInputTokens, maxOutputTokens } = this.options
    let [total, input, output] = [0, 0, 0]
    return (events) => {
      for (const event of events) {
        const usage = agentMessageOf(event)?.metadata?.usage
        total += usage?.totalTokens ?? 0
        input += usage?.inputTokens ?? 0
        output += usage?.outputTokens ?? 0
      }
      const limits = [
        [total, maxTotalTokens],
        [input, maxInputTokens],
        [output, maxOutputTokens],
      ] as const
      if (!limits.some(([count, max]) => max !== undefined && count >= max)) return undefined
      return `Token usage limit reached, total tokens: ${total}, input tokens: ${input}, output tokens: ${output}`
    }
  }
}
