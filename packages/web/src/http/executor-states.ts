import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '@fenced/errors'
import type { WebExecutor, WebProblem } from '../options.ts'

/** Time limit of a request for the state of an executor, in milliseconds. */
const checkMs = 5_000

/** An executor, and why it cannot be used. */
export interface ExecutorState {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly takesPackages: boolean
  readonly problem?: WebProblem
}

export function executorStates(executors: readonly WebExecutor[]): Promise<ExecutorState[]> {
  return Promise.all(executors.map(stateOf))
}

/** An executor without a check of its availability. */
export function offered({ id, name, description, takesPackages = false }: WebExecutor): ExecutorState {
  return { id, name, ...(description === undefined ? {} : { description }), takesPackages }
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
