import type { EventOf } from '../event.ts'
import type { WriteChunk } from './chunk.ts'
import type { AgentUIDataParts } from './ui-message.ts'

type Question = AgentUIDataParts['question']

/** Questions, each as one part from its request to its answer. */
export class QuestionParts {
  readonly #write: WriteChunk
  readonly #open = new Map<string, Question>()

  constructor(write: WriteChunk) {
    this.#write = write
  }

  ask(event: EventOf<'approval-requested' | 'human-input-requested'>): void {
    const { agent, request } = event
    const question = 'question' in request ? request.question : request.prompt
    const choices = event.type === 'approval-requested' ? event.choices : []
    const data: Question = { agent, question, request, choices, state: 'open' }
    this.#open.set(request.id, data)
    this.#write({ type: 'data-question', id: request.id, data })
  }

  answer(id: string, decision: Question['decision']): void {
    this.#close(id, { state: 'answered', ...(decision === undefined ? {} : { decision }) })
  }

  withdraw(id: string): void {
    this.#close(id, { state: 'withdrawn' })
  }

  withdrawAll(): void {
    for (const id of this.#open.keys()) this.withdraw(id)
  }

  #close(id: string, end: Pick<Question, 'state' | 'decision'>): void {
    const question = this.#open.get(id)
    // A question that a remembered answer decided was not shown.
    if (question === undefined) return
    this.#open.delete(id)
    this.#write({ type: 'data-question', id, data: { ...question, ...end } })
  }
}
