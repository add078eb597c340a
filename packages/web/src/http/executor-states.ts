import { setTimeout as delay } from 'node:timers/promises'
import type { ApprovalTarget, ExecutorCapabilities } from '@fenced/core'
import { DriverExecutor } from '@fenced/core/driver'
import { targetOf } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import type { WebExecutor, WebProblem } from '../options.ts'

/** Time limit of a request for the state of an executor, in milliseconds. */
const checkMs = 5_000

/** Time limit of each program in an executor of Fenced without another limit, in milliseconds. */
const defaultTimeoutMs = 60_000

/** Where code runs, and what its programs can use. */
export interface Place extends Pick<ApprovalTarget, 'description' | 'isolation' | 'network' | 'particulars'> {
  /** Resources that are guaranteed to be limited. */
  readonly limits: ExecutorCapabilities['limits']
}

/** An executor, and why it cannot be used. */
export interface ExecutorState {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly takesPackages: boolean
  /** Absent if the executor's author does not describe it. */
  readonly place?: Place
  readonly problem?: WebProblem
}

export function executorStates(executors: readonly WebExecutor[]): Promise<ExecutorState[]> {
  return Promise.all(executors.map(stateOf))
}

/** An executor without a check of its availability. */
export function offered(executor: WebExecutor): ExecutorState {
  const { id, name, description, takesPackages = false } = executor
  const place = placeOf(executor)
  return {
    ...{ id, name, takesPackages },
    ...(description === undefined ? {} : { description }),
    ...(place === undefined ? {} : { place }),
  }
}

function placeOf({ describedBy }: WebExecutor): Place | undefined {
  if (describedBy === undefined) return undefined
  const { description, isolation, network, particulars } = targetOf({
    ...describedBy,
    workDir: undefined,
  })
  // What a `DriverExecutor` does not list has the default.
  const defaults = describedBy instanceof DriverExecutor ? { timeoutMs: defaultTimeoutMs } : {}
  const { limits } = describedBy.capabilities
  return { description, isolation, network, particulars: { ...defaults, ...particulars }, limits }
}

async function stateOf(executor: WebExecutor): Promise<ExecutorState> {
  const { check } = executor
  const problem = await Promise.race([checked(check), delay(checkMs, late, { ref: false })])
  return { ...offered(executor), ...(problem === undefined ? {} : { problem }) }
}

const late: WebProblem = {
  problem: `It did not report within ${checkMs / 1_000} seconds whether it is available.`,
  repair: 'Look whether it still answers, and load the page again.',
}

async function checked(check: WebExecutor['check']): Promise<WebProblem | undefined> {
  try {
    return await check?.()
  } catch (error) {
    return { problem: errorMessage(error), repair: '' }
  }
}
