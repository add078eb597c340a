import { type Approve, approveByPerson, TerminalHumanInput } from '@fenced/agents'
import type { ApprovalChoice } from './approval-choice.ts'

/** Who decides about code; `undefined` where all of it is run. */
export function approveAs(choice: ApprovalChoice): Approve | undefined {
  if (choice === 'always') return undefined
  return choice === 'ask' ? approveByPerson(new TerminalHumanInput()) : neverRun
}

/** Decides against everything. */
export const neverRun: Approve = () => ({
  decision: 'deny',
  reason: 'No code is run here, as --approve never says.',
})
