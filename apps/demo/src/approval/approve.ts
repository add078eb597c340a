import { approveByPerson } from '@fenced/agents'
import { TerminalHumanInput } from '@fenced/agents/terminal'
import type { Approve, AskByKind } from '@fenced/core'
import type { ApprovalChoice } from './approval-choice.ts'

/** The approver of a choice; `undefined` where all code runs. `brief` where the code is on the screen already. */
export function askAs(choice: ApprovalChoice, { brief }: { readonly brief: boolean }): AskByKind | undefined {
  if (choice === 'always') return undefined
  if (choice === 'never') return { code: neverRun }
  return { code: approveByPerson(new TerminalHumanInput({ words: 'plain' }), { brief }) }
}

/** Decides against everything. */
export const neverRun: Approve = () => ({
  decision: 'deny',
  reason: 'No code is run here, as --approve never says.',
})
