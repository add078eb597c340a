import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

export const sourceMatchTerminationOptionsSchema = z.strictObject({ sources: z.array(z.string()).min(1) })

/** Options of {@link SourceMatchTermination}. */
export interface SourceMatchTerminationOptions {
  /** Names of speakers. */
  readonly sources: readonly string[]
}

/** Met when one of the named has spoken; who gave the task has not. @throws FencedError `INVALID_OPTIONS`. */
export class SourceMatchTermination extends Termination {
  static readonly provider: string = 'SourceMatchTermination'
  readonly options: z.output<typeof sourceMatchTerminationOptionsSchema>

  constructor(options: SourceMatchTerminationOptions) {
    super()
    this.options = parseOptions(sourceMatchTerminationOptionsSchema, options, 'SourceMatchTermination')
  }

  begin(): TerminationCheck {
    const { sources } = this.options
    return (events) => {
      const found = events.find((event) => agentMessageOf(event) && sources.includes(event.agent))
      return found && `'${found.agent}' answered`
    }
  }
}
