import { showPicture, showRun } from '@fenced/agents/terminal'
import { approvedExecutor } from '@fenced/core'
import { type ApprovalChoice, approvalChoice } from '../approval/approval-choice.ts'
import { askAs } from '../approval/approve.ts'
import type { Command } from '../command.ts'
import { widthOf } from '../terminal/facts.ts'
import { onInterruptKey } from '../terminal/interrupt-key.ts'
import { introduceAnswer } from '../terminal/introduce.ts'
import { wrap } from '../terminal/wrap.ts'
import { readAnswer } from './read-answer.ts'

/** Reads an answer; then its blocks can be run. A file that is named is run without a question unless one is wanted. */
export async function prepareAnswer(file: string, approve: ApprovalChoice | undefined): Promise<Command> {
  const approval = approvalChoice(approve, 'always')
  const answer = await readAnswer(file)
  return async ({ executor, facts, stop }) => {
    const { stdin, stdout } = process
    const { blocks } = answer
    introduceAnswer(answer, facts, stdout)
    const ask = askAs(approval, { brief: true })
    const target = ask === undefined ? executor : approvedExecutor(executor, ask, { agent: 'The answer' })
    using _key = approval === 'ask' ? onInterruptKey(stdin, () => stop.interrupt()) : undefined
    const execution = target.execute(blocks, { signal: stop.signal })
    const { status, files } = await showRun(execution, { blocks, showFile: showPicture })
    if (files.length > 0 && executor.workDir !== undefined)
      stdout.write(`${wrap(`The files stay in ${executor.workDir}`, widthOf(stdout))}\n`)
    return status === 'ok' || status === 'denied'
  }
}
