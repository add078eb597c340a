import { untilAborted } from '../running/waiting.ts'
import type { ApproveNetwork, NetworkApprovalAnswer, NetworkApprovalRequest } from './network-connection.ts'

/** How many hosts a run asks about: one that asks about more wears out who answers. */
const mostHosts = 100

/**
 * Asks about the connections of one run. Those to the same host and port are asked about one after the other, so that an answer
 * for the run is one for those that wait.
 */
export function askedOnce(approve: ApproveNetwork): ApproveNetwork {
  const remembered = new Map<string, NetworkApprovalAnswer>()
  const turns = new Map<string, Promise<unknown>>()
  return async (request, options) => {
    const name = `${request.host} ${request.port}`
    const before = turns.get(name)
    if (before === undefined && turns.size >= mostHosts)
      return { decision: 'deny', reason: `this run has asked about ${mostHosts} hosts already` }
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.set(name, Promise.all([before, promise]))
    try {
      await untilAborted(Promise.resolve(before), options.signal)
      const known = remembered.get(name)
      if (known !== undefined) return known
      const answer = await approve(request, options)
      if (Object(answer).remember === 'run') remembered.set(name, answer)
      return answer
    } finally {
      resolve()
    }
  }
}

/** The block of which connections are asked about. */
export interface AskingBlock extends Required<Pick<NetworkApprovalRequest, 'executor' | 'blockIndex'>> {
  /** Aborted when the block is stopped, or has ended. */
  readonly signal: AbortSignal
  /** Stops the clock of the program until the result is disposed of. */
  readonly hold: () => Disposable
}

/** The same for one block, with its clock stopped while a question is open. */
export function askedForBlock(
  approve: ApproveNetwork,
  { signal: ended, hold, ...about }: AskingBlock,
): ApproveNetwork {
  return async (request, { signal }) => {
    using _clock = hold()
    const either = AbortSignal.any([signal, ended])
    return await untilAborted(Promise.resolve(approve({ ...request, ...about }, { signal: either })), either)
  }
}
