import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { Termination } from './termination.ts'
import type { TerminationCheck, WatchedRun } from './termination-condition.ts'

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
