import type {
  AnswerInput,
  ApprovalQueue,
  ApprovalRequest,
  Approve,
  ApproveNetwork,
  ApproveTool,
  NetworkApprovalRequest,
} from '@fenced/core'
import { withoutSecret } from '@fenced/core/internal'
import type { GivenAnswer } from '../event.ts'
import { questionDigest } from './question-digest.ts'
import type { RunRecorder } from './run-recorder.ts'

/** Which connections need no question. */
export interface AllowedConnections {
  allows(connection: Pick<NetworkApprovalRequest, 'host' | 'port'>): boolean
  /** Called with an answer that holds for the conversation. */
  remember(request: NetworkApprovalRequest): void
}

/** Puts the questions of a run into the queue of the page, and into the log with what came of each. */
export class Questions {
  readonly #queue: ApprovalQueue
  readonly #recorder: RunRecorder

  constructor(queue: ApprovalQueue, recorder: RunRecorder) {
    this.#queue = queue
    this.#recorder = recorder
  }

  readonly approve: Approve = (request, options) =>
    this.#record(request, this.#queue.approve(request, options))

  readonly approveTool: ApproveTool = (request, options) =>
    this.#record(request, this.#queue.approveTool(request, options))

  readonly answerInput: AnswerInput = (request, options) =>
    this.#record(request, this.#queue.answerInput(request, options))

  /** The same for connections that are not in the list, but for those that were allowed before. */
  approveNetwork(allowed: AllowedConnections): ApproveNetwork {
    return async (request, options) => {
      if (allowed.allows(request)) return { decision: 'allow' }
      const answering: GivenAnswer | Promise<GivenAnswer> = this.#queue.approveNetwork(request, options)
      const answer = await this.#record<GivenAnswer>(request, answering)
      if (answer.decision === 'deny') return { decision: 'deny', reason: answer.reason }
      if (answer.decision === 'allow' && answer.remember === 'conversation') allowed.remember(request)
      return answer.decision === 'allow' && answer.remember === 'run'
        ? { decision: 'allow', remember: 'run' }
        : { decision: 'allow' }
    }
  }

  /** A question is in the log when it can be answered, and not before. */
  async #record<Answer extends GivenAnswer>(
    request: ApprovalRequest,
    answering: Answer | Promise<Answer>,
  ): Promise<Answer> {
    // When the question cannot be written, the code below does not wait for its answer: a rejection must not end the process.
    Promise.resolve(answering).catch(() => {})
    this.#recorder.write({ type: 'approval-requested', digest: questionDigest(request), request })
    const requestId = request.id
    try {
      const answer = await answering
      const kept = withoutSecret(request, answer)
      this.#recorder.write({ type: 'approval-answered', requestId, answer: kept, remembered: false })
      return answer
    } catch (error) {
      this.#recorder.write({ type: 'approval-withdrawn', requestId })
      throw error
    }
  }
}
