import { approveByPerson } from '@fenced/agents'
import { TerminalHumanInput } from '@fenced/agents/terminal'
import type { Approve } from '@fenced/core'
import type { ApprovalChoice } from './approval-choice.ts'

/** Who decides about code; `undefined` where all of it is run. `brief` where the code stands on the screen already. */
export function approveAs(
  choice: ApprovalChoice,
  { brief }: { readonly brief: boolean },
): Approve | undefined {
  if (choice === 'always') return undefined
  if (choice === 'never') return neverRun
  return approveByPerson(new TerminalHumanInput({ words: 'plain' }), { brief })
}

/** Decides against everything. */
export const neverRun: Approve = () => ({
  decision: 'deny',
  reason: 'No code is run here, as --approve never says.',
})
