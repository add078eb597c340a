import type {
  ApprovalQueue,
  ApprovalRequest,
  AskAbout,
  AskFunction,
  NetworkApprovalRequest,
} from '@fenced/core'
import type { GivenAnswer } from '../event.ts'

/** Which connections need no question. */
export interface AllowedConnections {
  allows(connection: Pick<NetworkApprovalRequest, 'host' | 'port'>): boolean
  /** Called with an answer that holds for the conversation. */
  remember(request: NetworkApprovalRequest): void
}

interface QuestionsParts {
  readonly queue: ApprovalQueue
  readonly allowed: AllowedConnections
  /** Decides about calls of tools instead of the person at the page. */
  readonly askTool: AskAbout<'tool'> | undefined
  /** Whether a person allowed exactly these programs before, and decides again by repeating them. */
  readonly wasAllowed: boolean
}

/** Who answers the questions of a run. */
export class PageQuestions {
  readonly #parts: QuestionsParts

  constructor(parts: QuestionsParts) {
    this.#parts = parts
  }

  /** Whether the person at the page answers a question. */
  isForPerson(request: ApprovalRequest): boolean {
    const { askTool, allowed, wasAllowed } = this.#parts
    if (request.kind === 'tool') return askTool === undefined && request.needsApproval === true
    if (request.kind === 'network') return !allowed.allows(request)
    return request.kind !== 'code' || !wasAllowed
  }

  /** Puts a question into the queue of the page, or decides it by a rule. */
  readonly ask: AskFunction = async (request, options) => {
    const { queue, allowed, askTool } = this.#parts
    if (this.isForPerson(request)) {
      const answer = await queue.ask(request, options)
      // The page has one more scope than other approvers: the conversation.
      if (request.kind === 'network' && holdsForConversation(answer)) allowed.remember(request)
      return answer
    }
    if (request.kind === 'tool' && askTool !== undefined) return await askTool(request, options)
    return request.kind === 'code' ? { decision: 'allow', by: 'person' } : 'allow'
  }
}

function holdsForConversation(answer: GivenAnswer): boolean {
  return answer.decision === 'allow' && answer.remember === 'conversation'
}
