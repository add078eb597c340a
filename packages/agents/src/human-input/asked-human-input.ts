import { type CodeExecutor, FencedError, type MessageRequest } from '@fenced/core'
import { type Asker, targetOf, withDigest } from '@fenced/core/internal'
import { visibleName } from '@fenced/errors/text'
import type { HumanInput, HumanInputRequest } from './human-input.ts'
import { ReadlineHumanInput } from './readline-human-input.ts'

/** Asks an approver for the messages of a person. Where the approver leaves a question to the default, the terminal asks it. */
export class AskedHumanInput implements HumanInput {
  readonly #asker: Asker
  readonly #executor: CodeExecutor | undefined
  readonly #answered = new WeakSet<HumanInputRequest>()
  #terminal: ReadlineHumanInput | undefined

  /** @param executor - runs the programs of an empty answer. */
  constructor(asker: Asker, executor: CodeExecutor | undefined) {
    this.#asker = asker
    this.#executor = executor
  }

  /** Whether the approver answered a question. An empty answer that runs programs is then its decision about these programs. */
  decided(request: HumanInputRequest): boolean {
    return this.#answered.has(request)
  }

  /** @throws FencedError `HUMAN_INPUT_UNAVAILABLE` where the approver denies the message or cannot be reached. */
  async ask(request: HumanInputRequest, options: { readonly signal: AbortSignal }): Promise<string> {
    const answer = await this.#asker.ask<'message'>(this.#messageRequest(request), options)
    if (answer === undefined) {
      this.#terminal ??= new ReadlineHumanInput()
      return await this.#terminal.ask(request, options)
    }
    if (answer.decision === 'deny') throw noMessage(request, answer.reason)
    this.#answered.add(request)
    return answer.text.replace(/[\r\n]+$/, '')
  }

  #messageRequest({
    id,
    prompt,
    agent,
    partner,
    choices,
    messages,
    onEmpty,
  }: HumanInputRequest): MessageRequest {
    const runsHere = onEmpty?.action === 'run-code' ? this.#executor : undefined
    return withDigest({
      ...{ kind: 'message' as const, id, question: prompt, agent, choices },
      ...(partner === undefined ? {} : { partner }),
      ...(messages === undefined ? {} : { messages }),
      ...(runsHere === undefined ? {} : { target: targetOf(runsHere) }),
    })
  }
}

function noMessage({ agent }: HumanInputRequest, reason: string): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_UNAVAILABLE',
    message: `Agent "${visibleName(agent)}" received no message from a person: ${reason} The question stays open. Answer it with text, or with \`exit\` to end the conversation.`,
    data: { agent, reason },
  })
}
