import { EventEmitter, on } from 'node:events'
import { FencedError } from '@fenced/errors'
import { knownOptions } from '../options/known-options.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { type ApprovalEvent, answeredEvent } from './approval-event.ts'
import type { ApprovalRequest, AskKind, AskKinds, AskObject } from './ask.ts'
import { checkedAnswer } from './checked-answer.ts'

type QueueAnswer = AskKinds[AskKind]['answer']

interface Pending {
  readonly request: ApprovalRequest
  readonly answer: (answer: QueueAnswer) => void
}

/**
 * Holds questions until they are answered from a terminal, a page or a network client. One queue can serve any number of
 * executors and agents. Every reader of `events()` sees all questions, and the first answer counts.
 *
 * Requests and answers are plain data. A program can save `pending` as JSON and exit. Later, any process can pass a code request
 * and its answer to {@link runApproved}. Other kinds of questions are lost when the program exits.
 *
 * @example
 * ```ts
 * const questions = new ApprovalQueue()
 * const executor = new LocalCommandLineCodeExecutor({ ask: questions })
 * for await (const event of questions.events()) {
 *   if (event.type === 'approval-requested') questions.answer(event.request.id, { decision: 'allow' })
 * }
 * ```
 */
export class ApprovalQueue implements AskObject {
  readonly #pending = new Map<string, Pending>()
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** Unanswered questions, oldest first. */
  get pending(): readonly ApprovalRequest[] {
    return [...this.#pending.values()].map(({ request }) => structuredClone(request))
  }

  /**
   * Adds a question of any kind to the queue. Executors and agents that receive the queue as `ask` call this method. It settles
   * when the question is answered or the signal is aborted.
   *
   * Rejects with FencedError `DUPLICATE_APPROVAL` if a question with the same ID is already waiting. The first question stays in
   * the queue.
   */
  readonly ask = <Request extends ApprovalRequest>(
    request: Request,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AskKinds[Request['kind']]['answer']> => this.#ask(request, signal) as Promise<never>

  #ask(request: ApprovalRequest, signal: AbortSignal): Promise<QueueAnswer> {
    signal.throwIfAborted()
    const { id } = request
    if (this.#pending.has(id)) return Promise.reject(duplicate(id))
    const { promise, resolve, reject } = Promise.withResolvers<QueueAnswer>()
    const withdraw = () => {
      this.#pending.delete(id)
      this.#tell({ type: 'approval-withdrawn', id })
      reject(signal.reason)
    }
    signal.addEventListener('abort', withdraw, { once: true })
    const answer = (given: QueueAnswer) => {
      signal.removeEventListener('abort', withdraw)
      this.#pending.delete(id)
      this.#tell(answeredEvent(request, given))
      resolve(isRecorded(request) ? ({ by: 'person', ...given } as ApprovalAnswer) : given)
    }
    this.#pending.set(id, { request, answer })
    this.#tell({ type: 'approval-requested', request })
    return promise
  }

  /**
   * Answers a question. `'allow'` and `'deny'` are shorthands.
   *
   * @throws FencedError `UNKNOWN_APPROVAL` if no question with this ID is waiting because it was already answered or withdrawn;
   *   `INVALID_APPROVAL` if the answer is not valid for the question, such as `edit` for a tool call or a connection. The
   *   question then keeps waiting.
   */
  answer(id: string, answer: QueueAnswer | 'allow' | 'deny'): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) throw unknown(id)
    pending.answer(structuredClone(checkedAnswer(pending.request.kind, answer)))
  }

  /**
   * Returns all events from now on, starting with the questions that are already waiting. Each caller gets a separate stream of
   * events.
   */
  async *events(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<ApprovalEvent> {
    const { signal } = knownOptions(options, { signal: true }, 'events()')
    const changes = on(this.#changes, 'change', signal === undefined ? {} : { signal })
    try {
      for (const request of this.pending) yield { type: 'approval-requested', request }
      for await (const [event] of changes) yield event as ApprovalEvent
    } catch (error) {
      if (!signal?.aborted) throw error
    } finally {
      await changes.return?.()
    }
  }

  #tell(event: ApprovalEvent): void {
    this.#changes.emit('change', structuredClone(event))
  }
}

/** Whether a ledger records who answers a request. */
function isRecorded({ kind }: ApprovalRequest): boolean {
  return kind === 'code' || kind === 'tool' || kind === 'install'
}

function duplicate(id: string): FencedError {
  return new FencedError({
    code: 'DUPLICATE_APPROVAL',
    message: `Another question with the id ${JSON.stringify(id)} is already waiting for an answer. This question was not added to the queue. Give each question a random id, such as \`crypto.randomUUID()\`.`,
    data: { id },
  })
}

function unknown(id: string): FencedError {
  return new FencedError({
    code: 'UNKNOWN_APPROVAL',
    message: `No question ${JSON.stringify(id)} is waiting for an answer: it was answered or withdrawn. List the waiting questions with \`pending\`.`,
    data: { id },
  })
}
