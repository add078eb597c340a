import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination, type TerminationCheck, type WatchedRun } from './termination.ts'

export const maxMessageTerminationOptionsSchema = z.strictObject({
  maxMessages: z.int().positive(),
  includeAgentEvents: z.boolean().default(false),
})

/** Options of {@link MaxMessageTermination}. */
export interface MaxMessageTerminationOptions {
  /** How many messages there may be in one run, the task among them. */
  readonly maxMessages: number
  /** Whether events count as well. Default `false`. */
  readonly includeAgentEvents?: boolean | undefined
}

/** Met after a number of messages. @throws FencedError `INVALID_OPTIONS`. */
export class MaxMessageTermination extends Termination {
  static readonly provider: string = 'MaxMessageTermination'
  readonly options: z.output<typeof maxMessageTerminationOptionsSchema>

  constructor(options: MaxMessageTerminationOptions) {
    super()
    this.options = parseOptions(maxMessageTerminationOptionsSchema, options, 'MaxMessageTermination')
  }

  begin({ task }: WatchedRun): TerminationCheck {
    const { maxMessages, includeAgentEvents } = this.options
    let count = task.length
    return (events) => {
      count += includeAgentEvents ? events.length : events.filter(agentMessageOf).length
      if (count < maxMessages) return undefined
      return `Maximum number of messages ${maxMessages} reached, current message count: ${count}`
    }
  }
}

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
 * Met when the models of all speakers have used a number of tokens in one run. It is checked at the end of a turn, so a turn may
 * exceed the limit.
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

/** What a timer can wait for, in milliseconds. */
const longestMs = 2 ** 31 - 1

export const timeoutTerminationOptionsSchema = z.strictObject({
  timeoutMs: z.number().positive().max(longestMs),
})

/** Options of {@link TimeoutTermination}. */
export interface TimeoutTerminationOptions {
  /** How long a run may take, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Met when a run has taken so long. It is a deadline: the one who speaks then is cancelled, and what was said and done so far
 * stays. (AutoGen looks at the clock between two messages only.)
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TimeoutTermination extends Termination {
  static readonly provider: string = 'TimeoutTermination'
  readonly options: z.output<typeof timeoutTerminationOptionsSchema>

  constructor(options: TimeoutTerminationOptions) {
    super()
    this.options = parseOptions(timeoutTerminationOptionsSchema, options, 'TimeoutTermination')
  }

  begin({ signal, stop }: WatchedRun): TerminationCheck {
    const { timeoutMs } = this.options
    const reason = `Timeout of ${timeoutMs} ms reached`
    const deadline = performance.now() + timeoutMs
    const timer = setTimeout(() => stop(reason), timeoutMs)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    // A speaker that kept the process busy has kept the timer from firing as well.
    return () => (performance.now() >= deadline ? reason : undefined)
  }
}

/** Ends runs from outside, when the turn at hand has ended: for a stop button. To end a run at once, abort its signal. */
export class ExternalTermination extends Termination {
  static readonly provider: string = 'ExternalTermination'
  readonly #runs = new Set<{ isEnded: boolean }>()

  /** Ends all runs that it watches now. Later ones are not concerned. */
  set(): void {
    for (const run of this.#runs) run.isEnded = true
  }

  begin({ signal }: WatchedRun): TerminationCheck {
    const run = { isEnded: false }
    this.#runs.add(run)
    signal.addEventListener('abort', () => this.#runs.delete(run), { once: true })
    return () => (run.isEnded ? 'External termination requested' : undefined)
  }
}
