import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { AgentEvent } from '../event.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck, WatchedRun } from './termination-condition.ts'

/**
 * Decides by what is new since it was last asked. It is asked at the end of every turn; the task it finds beside. The signal
 * is aborted when the run is over.
 */
export type IsMet = (
  events: readonly AgentEvent[],
  run: Pick<WatchedRun, 'task' | 'signal'>,
) => boolean | Promise<boolean>

export const functionalTerminationOptionsSchema = z.strictObject({
  isMet: z.custom<IsMet>((value) => typeof value === 'function', 'must be a function'),
  reason: z.string().default('Functional termination condition met'),
})

/** Options of {@link FunctionalTermination}. */
export interface FunctionalTerminationOptions {
  /** Asked after every turn with the new events: whether the run ends here. */
  readonly isMet: IsMet
  /** Why the run ends: a sentence. Default: that the condition is met. */
  readonly reason?: string | undefined
}

/** Met when your function says so. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionalTermination extends Termination {
  static readonly provider: string = 'FunctionalTermination'
  readonly options: z.output<typeof functionalTerminationOptionsSchema>

  constructor(options: FunctionalTerminationOptions) {
    super()
    this.options = parseOptions(functionalTerminationOptionsSchema, options, 'FunctionalTermination')
  }

  begin({ task, signal }: WatchedRun): TerminationCheck {
    const { isMet, reason } = this.options
    return async (events) =>
      events.length > 0 && (await isMet(events, { task, signal })) ? reason : undefined
  }
}
