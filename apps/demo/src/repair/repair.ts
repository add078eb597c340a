import { CodeExecutorAgent, type TaskResult } from '@fenced/agents'
import { showPicture, showRun } from '@fenced/agents/terminal'
import { askAs } from '../approval/approve.ts'
import { StoppableExecutor } from '../executor/stoppable-executor.ts'
import type { Scenario, ScenarioParts } from '../scenario/scenario.ts'
import { readRepairTask } from '../script/repair-script.ts'
import { repairScript } from '../script/scripted-scenarios.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'

/** One agent repairs its own programs until they work. */
export const repairing: Scenario = {
  startScript: repairScript,
  readTask: readRepairTask,
  rules: [
    ['y', 'runs the program that is shown'],
    ['c', 'runs it, also when exactly this one comes again'],
    ['a', 'runs it, and all that come'],
    ['n', 'does not run it; the model reads a text after it'],
    ['Ctrl-C', 'stops a program that runs; at any other time it leaves'],
  ],
  run: repair,
}

/** How often a program that failed is tried again with another one. */
const mostRetries = 4

/** Lets one agent write a program, run it, and repair it until it does what it should. Returns whether it ended well. */
async function repair({ task, model, pictures, executor, approval, stop }: ScenarioParts): Promise<boolean> {
  const executing = new StoppableExecutor(executor)
  const coder = new CodeExecutorAgent({
    name: 'coder',
    model,
    pictures,
    codeExecutor: executing,
    ask: askAs(approval, { brief: true }),
    // Where nothing is run, another program would not be either.
    maxRetriesOnError: approval === 'never' ? 0 : mostRetries,
  })
  using _key =
    approval === 'ask'
      ? onInterruptKey(process.stdin, () => executing.stopBlocks() || stop.interrupt())
      : undefined
  return endedWell(await showRun(coder.run({ task, signal: stop.signal }), { showFile: showPicture }))
}

/** Whether the last program ran well, or was not to be run, which is for a person to decide. */
function endedWell({ status, events }: TaskResult): boolean {
  const ran = events.findLast((event) => event.type === 'code-end')
  const hasModelFailed = events.some(
    (event) => event.type === 'notice' && event.notice.code === 'model-failed',
  )
  if (status !== 'done' || hasModelFailed) return false
  return ran === undefined || ran.result.status === 'ok' || ran.result.status === 'denied'
}
