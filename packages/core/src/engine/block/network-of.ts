import type { Asking } from '../../approval/code-questions.ts'
import { type AskConnection, askedOnce } from '../../network/network-approvals.ts'
import type { SandboxNetwork } from '../../network/network-observer.ts'
import type { Driver } from '../driver.ts'

/** There where the network of a driver's programs is a list. */
export function driverNetwork({ network, sandbox }: Driver): SandboxNetwork | undefined {
  return network ?? sandbox?.network
}

/** Asks about the connections of one run, where the network is a list and an approver decides about them. */
export function connectionQuestions(
  driver: Driver,
  { asker }: Pick<Asking, 'asker'>,
): AskConnection | undefined {
  if (driverNetwork(driver) === undefined || !asker.has('network')) return undefined
  return askedOnce((...about) => asker.ask<'network'>(...about))
}
