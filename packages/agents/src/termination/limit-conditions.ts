import { z } from '@fenced/core/zod'
import { messagesIn } from '../task/run-task.ts'
import { Termination, type TerminationCheck, terminationWith, type WatchedRun } from './termination.ts'

/** Met when a run reaches a number of messages. @throws FencedError `INVALID_OPTIONS`. */
export class MaxMessageTermination extends terminationWith<{
  /** Maximum number of messages in one run, including the task. */
  readonly maxMessages: number
  /** Whether to count events as well. @default false */
  readonly includeAgentEvents?: boolean | undefined
}>(z.strictObject({ maxMessages: z.int().positive(), includeAgentEvents: z.boolean().default(false) })) {
  static readonly provider: string = 'MaxMessageTermination'

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

/**
 * Met when all speakers' models together have used a number of tokens in one run. It is checked at the end of each turn, so a
 * turn may exceed the limit.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenUsageTermination extends terminationWith<{
  /** Limit on input and output tokens combined. @default no limit */
  readonly maxTotalTokens?: number | undefined
  /** Limit on input tokens. @default no limit */
  readonly maxInputTokens?: number | undefined
  /** Limit on output tokens. @default no limit */
  readonly maxOutputTokens?: number | undefined
}>(
  z
    .strictObject({ maxTotalTokens: limit, maxInputTokens: limit, maxOutputTokens: limit })
    .refine(
      (limits) => Object.values(limits).some((one) => one !== undefined),
      'at least one limit is needed',
    ),
) {
  static readonly provider: string = 'TokenUsageTermination'

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

/**
 * Met when a run reaches its time limit. This is a deadline: the current speaker is cancelled, and the messages and events so far
 * are kept. (AutoGen checks the time only between messages.)
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TimeoutTermination extends terminationWith<{
  /** Time limit for a run, in milliseconds. */
  readonly timeoutMs: number
}>(z.strictObject({ timeoutMs: z.number().positive().max(longestMs) })) {
  static readonly provider: string = 'TimeoutTermination'

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
