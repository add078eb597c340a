import { definedOptions } from '@fenced/shared'
import type { ExecuteOptions } from '../code-executor.ts'
import type { CodeApprovalRequest } from './approval-request.ts'

/** The options of a call, as its question has them. */
export type CountedOptions = Pick<CodeApprovalRequest, 'timeoutMs' | 'maxWaitMs' | 'tools' | 'toolLimits'>

/**
 * Returns the options of a call that its question shows and its digest covers. An option that is not left out here counts, so a new
 * option makes a remembered answer narrower and never wider. What is left out only says who decides.
 */
export function countedOptions({
  signal: _signal,
  ask: _ask,
  askTimeoutMs: _askTimeoutMs,
  ledger: _ledger,
  remembered: _remembered,
  agent: _agent,
  tools,
  ...others
}: ExecuteOptions): CountedOptions {
  const names = Object.keys(tools ?? {}).sort()
  const counted: object = { ...others, tools: names.length === 0 ? undefined : names }
  return definedOptions(counted)
}
