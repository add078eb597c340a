import { FencedError } from '@fenced/errors'
import type { Asking } from '../approval/code-questions.ts'
import { type AskConnection, askedOnce } from '../network/network-approvals.ts'
import type { SandboxNetwork } from '../network/network-connection.ts'
import type { Driver } from './driver.ts'
import type { EngineContext } from './engine-context.ts'

/** There where the network of a driver's programs is a list. */
export function driverNetwork({ network, sandbox }: Driver): SandboxNetwork | undefined {
  return network ?? sandbox?.network
}

/** Asks about the connections of one run, where they are asked about. @throws FencedError `NETWORK_APPROVAL_UNSUPPORTED`. */
export function connectionQuestions(
  { name, driver, capabilities }: Pick<EngineContext, 'name' | 'driver' | 'capabilities'>,
  { asker }: Pick<Asking, 'asker'>,
): AskConnection | undefined {
  if (driverNetwork(driver) !== undefined)
    return asker.has('network') ? askedOnce((...about) => asker.ask<'network'>(...about)) : undefined
  const { network, message }: { readonly network?: unknown; readonly message?: unknown } = asker.kinds
  // A function for every kind may never be asked about connections. One for them alone relies on it.
  if (!capabilities.network || network === undefined || network === message) return undefined
  throw new FencedError({
    code: 'NETWORK_APPROVAL_UNSUPPORTED',
    message: `The executor "${name}" has an open network, so its programs connect without a question, and the function for \`network\` in \`ask\` would never be called. Nothing was run. Omit it, or give the executor \`network: { mode: 'custom', allowedHosts: [...] }\`. With an empty list, every host is asked about.`,
    data: { executor: name },
  })
}
