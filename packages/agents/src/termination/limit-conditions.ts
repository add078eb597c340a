import { z } from '@fenced/core/zod'
import { messagesIn } from '../task/run-task.ts'
import { ConfiguredTermination, Termination, type TerminationCheck, type WatchedRun } from './termination.ts'

export const maxMessageTerminationOptionsSchema = z.strictObject({
  maxMessages: z.int().positive(),
  includeAgentEvents: z.boolean().default(false),
})

/** Options of {@link MaxMessageTermination}. */
export interface MaxMessageTerminationOptions {
  /** Maximum number of messages in one run, including the task. */
  readonly maxMessages: number
  /** Whether to count events as well. Default `false`. */
  readonly includeAgentEvents?: boolean | undefined
}

/** Met when a run reaches a number of messages. @throws FencedError `INVALID_OPTIONS`. */
export class MaxMessageTermination extends ConfiguredTermination<typeof maxMessageTerminationOptionsSchema> {
  static readonly provider: string = 'MaxMessageTermination'

  constructor(options: MaxMessageTerminationOptions) {
    super(maxMessageTerminationOptionsSchema, options)
  }

  begin({ task }: WatchedRun): TerminationCheck {
    const { maxMessages, includeAgentEvents } = this.options
    let count = task.length
    return (events) => {
      count += includeAgentEvents ? events.length : messagesIn(events).length
      if (count < maxMessages) return undefined
      return `Maximum number of messages ${maxMessages} reached, current message count: ${count}`
    }
  }
}

const limit = z.int().positive().optional()

export const tokenUsageTerminationOptionsSchema = z
  .strictObject({ maxTotalTokens: limit, maxInputTokens: limit, maxOutputTokens: limit })
  .refine((limits) => Object.values(limits).some((one) => one !== undefined), 'at least one limit is needed')

/** Options of {@link TokenUsageTermination}. At least one is required. */
export interface TokenUsageTerminationOptions {
  /** Limit on input and output tokens combined. Default: no limit. */
  readonly maxTotalTokens?: number | undefined
  /** Limit on input tokens. Default: no limit. */
  readonly maxInputTokens?: number | undefined
  /** Limit on output tokens. Default: no limit. */
  readonly maxOutputTokens?: number | undefined
}

/**
 * Met when all speakers' models together have used a number of tokens in one run. It is checked at the end of each turn, so a
 * turn may exceed the limit.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenUsageTermination extends ConfiguredTermination<typeof tokenUsageTerminationOptionsSchema> {
  static readonly provider: string = 'TokenUsageTermination'

  constructor(options: TokenUsageTerminationOptions) {
    super(tokenUsageTerminationOptionsSchema, options)
  }

  begin(): TerminationCheck {
    const { maxTotalTokens, maxInputTokens, maxOutputTokens } = this.options
    let [total, input, output] = [0, 0, 0]
    return (events) => {
      for (const { metadata } of messagesIn(events)) {
        total += metadata?.usage?.totalTokens ?? 0
        input += metadata?.usage?.inputTokens ?? 0
        output += metadata?.usage?.outputTokens ?? 0
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
  /** Time limit for a run, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Met when a run reaches its time limit. This is a deadline: the current speaker is cancelled, and the messages and events so far
 * are kept. (AutoGen checks the time only between messages.)
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TimeoutTermination extends ConfiguredTermination<typeof timeoutTerminationOptionsSchema> {
  static readonly provider: string = 'TimeoutTermination'

  constructor(options: TimeoutTerminationOptions) {
    super(timeoutTerminationOptionsSchema, options)
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

/**
 * Ends runs from outside once the current turn has ended, for example for a stop button. To end a run immediately, abort its
 * signal.
 */
export class ExternalTermination extends Termination {
  static readonly provider: string = 'ExternalTermination'
  readonly #runs = new Set<{ isEnded: boolean }>()

  /** Ends all runs that the condition is watching now. Later runs are not affected. */
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
