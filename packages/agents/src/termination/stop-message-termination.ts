import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

/** Met when somebody has said a StopMessage. */
export class StopMessageTermination extends Termination {
  static readonly provider: string = 'StopMessageTermination'

  begin(): TerminationCheck {
    return (items) => (items.some(({ type }) => type === 'StopMessage') ? 'Stop message received' : undefined)
  }
}
