import { CodeExecutorAgent, consoleView, type TaskResult } from '@fenced/agents'
import { approveAs } from '../approval/approve.ts'
import { StoppableExecutor } from '../place/stoppable-executor.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'
import type { WorkParts } from '../work/work.ts'
import { withFilesMade } from './files-made.ts'

/** How often a program that failed is tried again with another one. */
const mostRetries = 4

/** Lets one agent write a program, run it, and mend it until it does what it should. */
export async function repair({ task, model, executor, approval, stop }: WorkParts): Promise<TaskResult> {
  const place = new StoppableExecutor(executor)
  const coder = new CodeExecutorAgent({
    name: 'coder',
    model,
    codeExecutor: place,
    approve: approveAs(approval),
    // Where nothing is run, another program would not be either.
    maxRetriesOnError: approval === 'never' ? 0 : mostRetries,
  })
  using _key =
    approval === 'ask'
      ? onInterruptKey(process.stdin, () => place.stopBlocks() || stop.interrupt())
      : undefined
  const items = withFilesMade(coder.run({ task, signal: stop.signal }), process.stdout)
  return await consoleView(items, { showStatistics: true })
}
