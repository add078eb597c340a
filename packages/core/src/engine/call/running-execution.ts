import type { Execution, ExecutionEvent } from '../../execution.ts'
import { Running } from '../../running/running.ts'
import type { CodeResult } from '../../vocabulary/code-result.ts'
import { EventQueue } from '../output/event-queue.ts'

/** The run behind an {@link Execution}: reports events as it goes and settles with the result. */
export type Run = (events: EventQueue) => Promise<CodeResult>

/** An {@link Execution} over a run that starts at once. */
export class RunningExecution extends Running<CodeResult, ExecutionEvent> implements Execution {
  override readonly [Symbol.toStringTag] = 'Execution'

  /**
   * @param run - what is run.
   * @param cancel - ends it early.
   */
  constructor(run: Run, cancel: (reason?: unknown) => void) {
    const events = new EventQueue()
    const result = run(events).then(
      (value) => {
        events.push({ type: 'execution-end', result: value })
        events.end()
        return value
      },
      (error: unknown) => {
        events.fail(error)
        throw error
      },
    )
    super({ result, events, cancel })
  }
}
