import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

export const handoffTerminationOptionsSchema = z.strictObject({ target: z.string() })

/** Options of {@link HandoffTermination}. */
export interface HandoffTerminationOptions {
  /** The name of the one whom the task is given to; `user` for the one who started the run. */
  readonly target: string
}

/** Met when a message gives the task to somebody: its `metadata.handoff` names them. @throws FencedError `INVALID_OPTIONS`. */
export class HandoffTermination extends Termination {
  static readonly provider: string = 'HandoffTermination'
  readonly options: z.output<typeof handoffTerminationOptionsSchema>

  constructor(options: HandoffTerminationOptions) {
    super()
    this.options = parseOptions(handoffTerminationOptionsSchema, options, 'HandoffTermination')
  }

  begin(): TerminationCheck {
    const { target } = this.options
    return (events) => {
      const messages = events.flatMap((event) => agentMessageOf(event) ?? [])
      const found = messages.find(({ metadata }) => metadata?.handoff === target)
      return found && `Handoff to ${target} from ${found.source} detected.`
    }
  }
}
