import {
  type ApprovalAnswer,
  ApprovalQueue,
  type ApprovalRequest,
  type AskAbout,
  type AskFunction,
  type CodeApprovalRequest,
  type CodeExecutor,
  type DecisionLedger,
} from '@fenced/core'
import { targetOf } from '@fenced/core/internal'
import type { ConversationEvent, GivenAnswer, QuestionEvent } from '../event.ts'
import { Problem } from '../problem.ts'
import type { Outline } from './outline.ts'
import type { RememberedAnswers } from './remembered-answers.ts'

/** What a turn knows of the questions that are asked in it. */
export interface Asked {
  readonly executor: CodeExecutor
  /** What the log says about questions that are asked again. */
  readonly known: Pick<Outline, 'question' | 'answers' | 'results' | 'hasMessage'>
  /** Whether a person allowed exactly these programs before, and decides again by repeating them. */
  readonly wasAllowed?: boolean
  /** Whether a run of these programs was interrupted, so that remembered answers do not apply. */
  readonly wasInterrupted?: boolean
  /** Writes into the log what a question is about, and the state of the agent that asks. Returns the id of the run. */
  readonly prepare: (
    request: ApprovalRequest,
    question: (runId: string) => readonly ConversationEvent[],
  ) => Promise<string>
  readonly append: (event: ConversationEvent) => void
}

interface QuestionsParts {
  readonly ledger: DecisionLedger
  readonly remembered: RememberedAnswers
  /** Decides about calls of tools instead of the person at the page. */
  readonly askTool: AskAbout<'tool'> | undefined
}

type Answer = GivenAnswer | 'allow' | undefined

/** The questions of a conversation: to the person at the page, or decided by what the log knows. */
export class PageQuestions {
  readonly #parts: QuestionsParts
  readonly #queue = new ApprovalQueue()
  /** Ids of questions whose answers the log has, that were applied. */
  readonly #applied = new Set<string>()
  #asked: Asked | undefined

  constructor(parts: QuestionsParts) {
    this.#parts = parts
  }

  /** Questions belong to a turn from now on. */
  begin(asked: Asked): void {
    this.#asked = asked
  }

  /** The `ask` of everything that runs in the conversation. */
  readonly ask: AskFunction = async (request, { signal }) => {
    const asked = this.#asked
    if (asked === undefined) throw new Error('A question came while the conversation was not working.')
    return ((await this.#knownAnswer(request, asked)) ??
      (await this.#byRule(request, { signal, asked })) ??
      (await this.#askPerson(request, { signal, asked }))) as never
  }

  /**
   * Answers a question.
   *
   * @param shown - digest of the question that the person saw.
   * @throws FencedError `UNKNOWN_APPROVAL`, `INVALID_APPROVAL`.
   * @throws {@link Problem} 409 where the question with this id has another digest. The question continues to wait.
   */
  answer(id: string, shown: string, answer: GivenAnswer): void {
    const waiting = this.#queue.pending.find((request) => request.id === id)
    if (waiting !== undefined && waiting.digest !== shown) throw new Problem(409, otherQuestion)
    this.#queue.answer(id, answer)
  }

  /** What the log says about a question that was asked before: its answer holds if nothing has begun, and its result if it is known. */
  async #knownAnswer(request: ApprovalRequest, { known }: Asked): Promise<Answer> {
    const id = this.#earlierId(request, known)
    if (id === undefined) return undefined
    const given = known.answers.get(id)
    const result = known.results.get(request.kind === 'tool' ? request.toolCallId : (given?.runId ?? ''))
    if (result !== undefined) return { decision: 'deny', reason: `${hasRun}\n\n${result}` }
    if (given === undefined && known.hasMessage && request.kind !== 'message')
      return { decision: 'deny', reason: hasWritten }
    if (given === undefined || this.#applied.has(id)) return undefined
    const record = request.kind === 'message' ? undefined : await this.#parts.ledger.find(id)
    const hasBegun =
      request.kind !== 'message' && !['asked', 'allowed', 'denied'].includes(record?.state ?? '')
    if (hasBegun) return undefined
    this.#applied.add(id)
    return forAgent(request, given.answer)
  }

  /** The id under which the log knows the question. */
  #earlierId(request: ApprovalRequest, { question, answers }: Asked['known']): string | undefined {
    const ids = 'after' in request && request.after !== undefined ? [request.id, request.after] : [request.id]
    const id = ids.find((each) => each === question?.id || answers.has(each))
    const isSame = request.kind === 'message' && request.digest === question?.digest
    return id ?? (isSame ? question.id : undefined)
  }

  async #byRule(
    request: ApprovalRequest,
    { signal, asked }: { readonly signal: AbortSignal; readonly asked: Asked },
  ): Promise<Answer> {
    const { askTool, remembered } = this.#parts
    switch (request.kind) {
      case 'tool':
        if (askTool !== undefined) return (await askTool(request, { signal })) as Answer
        return request.needsApproval === true ? undefined : 'allow'
      case 'network':
        return remembered.allowsConnection(request, targetOf(asked.executor)) ? 'allow' : undefined
      case 'code':
        return await this.#decidedBefore(request, asked)
      default:
        return undefined
    }
  }

  /** Programs that may have run already are always asked about. */
  async #decidedBefore(request: CodeApprovalRequest, asked: Asked): Promise<ApprovalAnswer | undefined> {
    if (asked.wasAllowed === true) {
      await asked.prepare(request, () => [])
      return { decision: 'allow', by: 'person' }
    }
    const mayHaveRun = asked.wasInterrupted === true || request.after !== undefined
    const found = mayHaveRun ? undefined : this.#parts.remembered.approvals.find(request)
    if (found === undefined) return undefined
    const { decision, reason = '' } = found
    const answer: ApprovalAnswer =
      decision === 'deny' ? { decision, reason, by: 'person' } : { decision, by: 'person' }
    const runId = await asked.prepare(request, () => [])
    const shown = decision === 'deny' ? { decision, reason } : { decision }
    asked.append({ type: 'approval-answered', runId, requestId: request.id, answer: shown, remembered: true })
    return answer
  }

  async #askPerson(
    request: ApprovalRequest,
    { signal, asked }: { readonly signal: AbortSignal; readonly asked: Asked },
  ): Promise<Answer> {
    const { append } = asked
    const { id: requestId, digest } = request
    const runId = await asked.prepare(request, (runId) => [
      { type: 'approval-requested', runId, digest, request },
    ])
    const log = (event: WithoutIds<QuestionEvent>) => append({ ...event, runId, requestId } as QuestionEvent)
    const answer = await this.#queue.ask(request, { signal }).catch((error: unknown) => {
      log({ type: 'approval-withdrawn' })
      throw error
    })
    log({ type: 'approval-answered', answer: forLog(request, answer as GivenAnswer), remembered: false })
    const { remembered } = this.#parts
    if (request.kind === 'code') remembered.add(answer as ApprovalAnswer, request)
    // The page has one more scope than other approvers: the conversation.
    if (request.kind === 'network' && holdsForConversation(answer as GivenAnswer))
      remembered.addConnection(request, targetOf(asked.executor))
    return forAgent(request, answer as GivenAnswer)
  }
}

type WithoutIds<Event> = Event extends unknown ? Omit<Event, 'runId' | 'requestId'> : never

/** The answer as it was given, without the text of a secret. */
function forLog(request: ApprovalRequest, answer: GivenAnswer): GivenAnswer {
  const { by: _, ...given } = answer as ApprovalAnswer
  const isSecret = request.kind === 'input' && request.isSecret && answer.decision === 'answer'
  return (isSecret ? { ...given, text: '' } : given) as GivenAnswer
}

/** The page itself remembers answers about code, because a person can take them back there. */
function forAgent({ kind }: ApprovalRequest, answer: GivenAnswer): GivenAnswer {
  if (kind !== 'code') return answer
  const { remember: _, ...once } = answer as ApprovalAnswer & { readonly remember?: unknown }
  return { by: 'person', ...once } as GivenAnswer
}

function holdsForConversation(answer: GivenAnswer): boolean {
  return answer.decision === 'allow' && answer.remember === 'conversation'
}

const hasRun = 'It has run already, before the work was interrupted, so it was not run again. The result was:'
const hasWritten = 'The person wrote a message instead of an answer.'

const otherQuestion =
  'The answer is for a different question than the open one. Nothing was decided. Read the question again, and answer it.'
