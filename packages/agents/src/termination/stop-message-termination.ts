import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

/** Met when somebody has said a StopMessage: one with `metadata.stop`. */
export class StopMessageTermination extends Termination {
  static readonly provider: string = 'StopMessageTermination'

  begin(): TerminationCheck {
    return (events) =>
      events.some((event) => agentMessageOf(event)?.metadata?.stop === true)
        ? 'Stop message received'
        : undefined
  }
}
