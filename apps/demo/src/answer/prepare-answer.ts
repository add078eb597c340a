import { approvedExecutor } from '@fenced/agents'
import { type ApprovalChoice, approvalChoice } from '../approval/approval-choice.ts'
import { approveAs } from '../approval/approve.ts'
import type { Command } from '../command.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'
import { AnswerScreen } from './answer-screen.ts'
import { readAnswer } from './read-answer.ts'
import { runAnswer } from './run-answer.ts'

/** Reads an answer; then its blocks can be run. Whoever names a file wants it to run, unless they say otherwise. */
export async function prepareAnswer(file: string, approve: ApprovalChoice | undefined): Promise<Command> {
  const approval = approvalChoice(approve, 'always')
  const answer = await readAnswer(file)
  return async ({ executor, facts, stop }) => {
    const { signal } = stop
    const screen = new AnswerScreen(process.stdout)
    screen.plan(answer, facts)
    if (approval === 'never') screen.programs(answer.blocks)
    const decides = approveAs(approval, { brief: false })
    const place =
      decides === undefined ? executor : approvedExecutor(executor, decides, { agent: 'The answer' })
    using _key = approval === 'ask' ? onInterruptKey(process.stdin, () => stop.interrupt()) : undefined
    const result = await runAnswer(answer, { executor: place, screen, signal })
    screen.summary(result, answer.blocks, executor.workDir)
    return result.status === 'ok' || result.status === 'denied'
  }
}
