import { CodeExecutorAgent, showRun, type TaskResult } from '@fenced/agents'
import { approveAs } from '../approval/approve.ts'
import { StoppableExecutor } from '../place/stoppable-executor.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'
import { showPicture } from '../terminal/show-picture.ts'
import type { WorkParts } from '../work/work.ts'

/** How often a program that failed is tried again with another one. */
const mostRetries = 4

/** Lets one agent write a program, run it, and repair it until it does what it should. Returns whether it ended well. */
export async function repair({ task, model, executor, approval, stop }: WorkParts): Promise<boolean> {
  const place = new StoppableExecutor(executor)
  const coder = new CodeExecutorAgent({
    name: 'coder',
    model,
    codeExecutor: place,
    approve: approveAs(approval, { brief: true }),
    // Where nothing is run, another program would not be either.
    maxRetriesOnError: approval === 'never' ? 0 : mostRetries,
  })
  using _key =
    approval === 'ask'
      ? onInterruptKey(process.stdin, () => place.stopBlocks() || stop.interrupt())
      : undefined
  return endedWell(await showRun(coder.run({ task, signal: stop.signal }), { showFile: showPicture }))
}

/** Whether the last program ran well, or was not to be run, which is for a person to decide. */
function endedWell({ status, messages }: TaskResult): boolean {
  const ran = messages.findLast((message) => message.type === 'CodeExecutionEvent')
  const hasModelFailed = messages.some(
    (message) => message.type === 'NoticeEvent' && message.notice.code === 'model-failed',
  )
  if (status !== 'done' || hasModelFailed) return false
  return ran === undefined || ran.result.status === 'ok' || ran.result.status === 'denied'
}
