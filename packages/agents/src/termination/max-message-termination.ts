import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck, WatchedRun } from './termination-condition.ts'

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

/** Met when so many messages have been said. @throws FencedError `INVALID_OPTIONS`. */
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
