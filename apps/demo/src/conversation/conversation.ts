import { AssistantAgent, type ChatResult, textOf, UserProxyAgent } from '@fenced/agents'
import { showPicture, showRun, TerminalHumanInput } from '@fenced/agents/terminal'
import { endsWithTermination } from '@fenced/agents/termination'
import { approvedExecutor, type CodeResult } from '@fenced/core'
import { neverRun } from '../approval/approve.ts'
import { StoppableExecutor } from '../executor/stoppable-executor.ts'
import type { Scenario, ScenarioParts } from '../scenario/scenario.ts'
import { readTask } from '../script/script.ts'
import { conversationScript } from '../script/scripted-scenarios.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'

/** A model and an executor that runs its code talk with each other. */
export const conversation: Scenario = {
  startScript: conversationScript,
  readTask,
  rules: [
    ['Enter', 'goes on, and runs the code that there is'],
    ['exit', 'ends the conversation'],
    ['a text', 'is said to the model'],
    ['Ctrl-C', 'stops a program that runs; at any other time it leaves'],
  ],
  run: converse,
}

/** How often in a row code is run when nobody is asked. */
const mostRuns = 20

/** Lets a model and an executor that runs its code work on a task, until one of them ends it. Returns whether it ended well. */
async function converse({
  task,
  model,
  pictures,
  executor,
  approval,
  stop,
}: ScenarioParts): Promise<boolean> {
  const asks = approval === 'ask'
  const isRun = approval !== 'never'
  const executing = new StoppableExecutor(isRun ? executor : approvedExecutor(executor, { code: neverRun }))
  const assistant = new AssistantAgent({ name: 'assistant', model, pictures })
  const user = new UserProxyAgent({
    name: 'user_proxy',
    humanInput: new TerminalHumanInput({ words: 'plain' }),
    humanInputMode: asks ? 'always' : 'never',
    maxConsecutiveAutoReply: isRun ? mostRuns : 1,
    codeExecutionConfig: { executor: executing },
  })
  // A terminal that nobody is asked at stays as it is: Ctrl-C is a signal there.
  using _key = asks
    ? onInterruptKey(process.stdin, () => executing.stopBlocks() || stop.interrupt())
    : undefined
  const chat = user.initiateChat(assistant, { message: task, signal: stop.signal })
  return endedWell(await showRun(chat, { showFile: showPicture }), executing.lastResult)
}

/** Whether a person ended it, or the model did after its last program ran well; or nothing was to be run. */
function endedWell({ messages, humanInput }: ChatResult, lastRun: CodeResult | undefined): boolean {
  if (humanInput.at(-1) === 'exit' || lastRun?.status === 'denied') return true
  const last = messages.at(-1)
  const isFinished = last !== undefined && endsWithTermination(textOf(last))
  return isFinished && (lastRun === undefined || lastRun.status === 'ok')
}
