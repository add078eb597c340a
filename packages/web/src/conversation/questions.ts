import type {
  ApprovalQueue,
  ApprovalRequest,
  AskAbout,
  AskByKind,
  AskKind,
  AskKinds,
  NetworkApprovalRequest,
} from '@fenced/core'
import { withoutSecret } from '@fenced/core/internal'
import type { GivenAnswer } from '../event.ts'
import type { RunRecorder } from './run-recorder.ts'

/** Which connections need no question. */
export interface AllowedConnections {
  allows(connection: Pick<NetworkApprovalRequest, 'host' | 'port'>): boolean
  /** Called with an answer that holds for the conversation. */
  remember(request: NetworkApprovalRequest): void
}

interface QuestionsParts {
  readonly queue: ApprovalQueue
  readonly recorder: RunRecorder
  readonly allowed: AllowedConnections
  /** Decides about calls of tools instead of the person at the page. */
  readonly askTool: AskAbout<'tool'> | undefined
}

/** Puts the questions of a run into the queue of the page, and into the log with their answers. */
export function pageQuestions({ queue, recorder, allowed, askTool }: QuestionsParts): AskByKind {
  const toPage = <Kind extends AskKind>(
    request: AskKinds[Kind]['request'],
    options: { readonly signal: AbortSignal },
  ): Promise<AskKinds[Kind]['answer']> =>
    // The queue has checked the answer by the kind of the question.
    recorded(request, {
      answering: queue.ask(request, options) as Promise<AskKinds[Kind]['answer']>,
      recorder,
    })
  return {
    code: toPage<'code'>,
    input: toPage<'input'>,
    install: toPage<'install'>,
    file: toPage<'file'>,
    process: toPage<'process'>,
    message: toPage<'message'>,
    tool:
      askTool ??
      ((request, options) => (request.needsApproval === true ? toPage<'tool'>(request, options) : 'allow')),
    async network(request, options) {
      if (allowed.allows(request)) return 'allow'
      // The page has one more scope than other approvers: the conversation.
      const answer = (await toPage<'network'>(request, options)) as GivenAnswer
      if (answer.decision === 'deny') return { decision: 'deny', reason: answer.reason }
      if (answer.decision === 'allow' && answer.remember === 'conversation') allowed.remember(request)
      return answer.decision === 'allow' && answer.remember === 'run'
        ? { decision: 'allow', remember: 'run' }
        : 'allow'
    },
  }
}

interface Recording<Answer> {
  readonly answering: Answer | Promise<Answer>
  readonly recorder: RunRecorder
}

/** A question is in the log when it can be answered, and not before. */
async function recorded<Answer extends GivenAnswer>(
  request: ApprovalRequest,
  { answering, recorder }: Recording<Answer>,
): Promise<Answer> {
  // When the question cannot be written, the code below does not wait for its answer: a rejection must not end the process.
  Promise.resolve(answering).catch(() => {})
  recorder.write({ type: 'approval-requested', digest: request.digest, request })
  const requestId = request.id
  try {
    const answer = await answering
    const kept = withoutSecret(request, answer)
    recorder.write({ type: 'approval-answered', requestId, answer: kept, remembered: false })
    return answer
  } catch (error) {
    recorder.write({ type: 'approval-withdrawn', requestId })
    throw error
  }
}
