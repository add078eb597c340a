import { FencedError } from '@fenced/errors'
import type { ApproveNetwork } from '../approval/network-request.ts'
import type { ExecuteOptions } from '../code-executor.ts'
import { askedOnce } from '../network/network-approvals.ts'
import type { SandboxNetwork } from '../network/network-connection.ts'
import type { Driver } from './driver.ts'

/** There where the network of a driver's programs is a list. */
export function driverNetwork({ network, sandbox }: Driver): SandboxNetwork | undefined {
  return network ?? sandbox?.network
}

/** Returns the approver of connections of one run. @throws FencedError `NETWORK_APPROVAL_UNSUPPORTED`. */
export function approvalOfRun(
  { name, driver }: { readonly name: string; readonly driver: Driver },
  { approveNetwork }: ExecuteOptions,
): ApproveNetwork | undefined {
  if (approveNetwork === undefined) return undefined
  if (driverNetwork(driver) !== undefined) return askedOnce(approveNetwork)
  throw new FencedError({
    code: 'NETWORK_APPROVAL_UNSUPPORTED',
    message: `The executor "${name}" has no network allowlist, so \`approveNetwork\` would never be called. Nothing was run. Omit it, or give the executor \`network: { mode: 'custom', allowedHosts: [...] }\`. With an empty list, you are asked about every host.`,
    data: { executor: name },
  })
}
