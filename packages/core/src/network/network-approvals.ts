import { anySignal, TurnQueue } from '@fenced/shared'
import type { AskAbout, AskAnswer } from '../approval/ask.ts'
import { withDigest } from '../approval/digest.ts'
import type { NetworkApprovalRequest } from '../approval/network-request.ts'

/** Asks about a connection. */
export type AskConnection = AskAbout<'network'>

/** Limits for the hosts, and the ports of each, that a run asks about: more questions would tire the approver. */
const mostHosts = 100
const mostPorts = 20

/**
 * Asks about the connections of one run. Those to the same host and port are asked about one after the other, so that an answer
 * for the run is one for those that wait.
 */
export function askedOnce(ask: AskConnection): AskConnection {
  const remembered = new Map<string, AskAnswer<'network'>>()
  const turns = new Map<string, TurnQueue>()
  const ports = new Map<string, number>()
  return async (request, options) => {
    const { host, port } = request
    const name = `${host} ${port}`
    const known = turns.get(name)
    const reason = known === undefined ? reasonNotToAsk(ports, host) : undefined
    if (reason !== undefined) return { decision: 'deny', reason }
    ports.set(host, (ports.get(host) ?? 0) + (known === undefined ? 1 : 0))
    const queue = known ?? new TurnQueue()
    turns.set(name, queue)
    using _turn = await queue.take(options.signal)
    const earlier = remembered.get(name)
    if (earlier !== undefined) return earlier
    const answer = await ask(request, options)
    if (typeof answer === 'object' && 'remember' in answer && answer.remember === 'run')
      remembered.set(name, answer)
    return answer
  }
}

function reasonNotToAsk(ports: ReadonlyMap<string, number>, host: string): string | undefined {
  const asked = ports.get(host)
  if (asked === undefined)
    return ports.size < mostHosts ? undefined : `this run has asked about ${mostHosts} hosts already`
  return asked < mostPorts ? undefined : `this run has asked about ${mostPorts} ports of ${host} already`
}

/** The block of which connections are asked about. */
export interface AskingBlock extends Required<Pick<NetworkApprovalRequest, 'executor' | 'blockIndex'>> {
  /** Aborted when the block is stopped, or has ended. */
  readonly signal: AbortSignal
  /** Stops the clock of the program, up to `maxWaitMs` in total, until the result is disposed of. */
  readonly hold: () => Disposable
}

/** The same for one block, with its clock stopped while a question is open. */
export function askedForBlock(
  ask: AskConnection,
  { signal: ended, hold, ...about }: AskingBlock,
): AskConnection {
  return async (request, { signal }) => {
    using _clock = hold()
    const either = anySignal([signal, ended])
    return await ask(withDigest({ ...request, ...about }), { signal: either })
  }
}
