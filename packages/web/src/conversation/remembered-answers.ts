import {
  type ApprovalAnswer,
  type ApprovalTarget,
  type CodeApprovalRequest,
  type NetworkApprovalRequest,
  type RememberedApproval,
  RememberedApprovals,
} from '@fenced/core'
import { targetHash } from '@fenced/core/internal'
import type { ConversationEvent, LoggedEvent, RememberedConnection } from '../event.ts'

/** The answers of a person that hold for a conversation: about code, and about connections. All of them are in the log. */
export class RememberedAnswers {
  /** Those about code. */
  readonly approvals: RememberedApprovals
  readonly #connections: RememberedConnection[]
  readonly #append: (event: ConversationEvent) => void

  /** @param log - the one of the conversation so far: answers hold after the end of the server as well. */
  constructor(log: Iterable<LoggedEvent>, append: (event: ConversationEvent) => void) {
    let approvals: readonly RememberedApproval[] = []
    let connections: readonly RememberedConnection[] = []
    for (const { event } of log) if (event.type === 'remembered') ({ approvals, connections } = event)
    this.approvals = new RememberedApprovals()
    try {
      this.approvals.load(approvals)
    } catch {
      // An older version did not say what they apply to in full, so the questions are asked again.
    }
    this.#connections = [...connections]
    this.#append = append
  }

  /** Keeps an answer about code, if it holds for later questions. */
  add(answer: ApprovalAnswer, request: CodeApprovalRequest): void {
    this.approvals.add(answer, request)
    if (this.approvals.list().some(({ id }) => id === request.id)) this.#keepAll()
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
