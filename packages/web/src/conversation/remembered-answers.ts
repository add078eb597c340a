import { type ApprovalTarget, type NetworkApprovalRequest, RememberedApprovals } from '@fenced/core'
import { targetHash } from '@fenced/core/internal'
import type { ConversationEvent, LoggedEvent, RememberedConnection } from '../event.ts'

/** The answers of a person that hold for a conversation: about code, and about connections. All of them are in the log. */
export class RememberedAnswers {
  /** Those about code. */
  readonly approvals: RememberedApprovals
  readonly #connections: RememberedConnection[]
  readonly #append: (event: ConversationEvent) => void

  /** @param log - the one of the conversation so far: answers hold after the end of the server as well. */
  constructor(log: readonly LoggedEvent[], append: (event: ConversationEvent) => void) {
    const last = log.findLast(({ event }) => event.type === 'remembered')?.event
    const { approvals = [], connections = [] } = last?.type === 'remembered' ? last : {}
    this.approvals = new RememberedApprovals(approvals)
    this.#connections = [...connections]
    this.#append = append
  }

  /** Writes into the log what was remembered of the answer to a question about code, if anything was. */
  keep(requestId: string): void {
    if (this.approvals.list().some(({ id }) => id === requestId)) this.#keepAll()
  }

  allowsConnection(
    { host, port }: Pick<NetworkApprovalRequest, 'host' | 'port'>,
    target: ApprovalTarget,
  ): boolean {
    return this.#connections.some(
      (each) => each.host === host && each.port === port && targetHash(each.target) === targetHash(target),
    )
  }

  addConnection({ id, host, port }: NetworkApprovalRequest, target: ApprovalTarget): void {
    this.#connections.push({ id, host, port, target })
    this.#keepAll()
  }

  /** Takes one back. Returns whether there was one with this id. */
  forget(id: string): boolean {
    const index = this.#connections.findIndex((each) => each.id === id)
    if (index !== -1) this.#connections.splice(index, 1)
    if (index === -1 && !this.approvals.forget(id)) return false
    this.#keepAll()
    return true
  }

  #keepAll(): void {
    this.#append({
      type: 'remembered',
      approvals: this.approvals.list(),
      connections: [...this.#connections],
    })
  }
}
