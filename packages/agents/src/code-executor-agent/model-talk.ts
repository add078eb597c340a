import type { ChatMessage } from '../message/chat-message.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { ModelEvent, ModelReply } from '../model/model-reply.ts'
import { UsageMeter } from '../model/usage-meter.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { AgentItem } from '../task/agent-item.ts'
import {
  type ModelClientStreamingChunkEvent,
  made,
  type NoticeEvent,
  type ThoughtEvent,
} from '../task/agent-message.ts'
import { withNames } from '../team/heard-from-team.ts'
import { type RetryDecision, retryDecisionSchema } from './retry-decision.ts'

export interface ModelTalkParts {
  readonly source: string
  readonly client: ModelClient
  readonly context: ModelContext
  readonly instructions: string | undefined
  /** Whether the model is given pictures. */
  readonly pictures: boolean
  readonly run: RunContext<AgentItem>
}

/** The model of an agent while it answers once: what it says becomes events, and all that it uses is counted. */
export class ModelTalk {
  readonly usage = new UsageMeter()
  readonly #parts: ModelTalkParts

  constructor(parts: ModelTalkParts) {
    this.#parts = parts
  }

  /** Asks for an answer, which becomes part of the conversation; a `question` for it does not. */
  async answer(question?: string): Promise<ModelReply> {
    const { source, client, context, instructions, pictures, run } = this.#parts
    let thought = ''
    const reply = await client.ask(
      { instructions, messages: await this.#messages(question), pictures },
      {
        signal: run.signal,
        onEvent: (event) => {
          if (event.type === 'reasoning-delta') thought += event.text
          // What a model that failed has thought does not count.
          if (event.type === 'model-fallback') thought = ''
          return this.#tell(event)
        },
      },
    )
    if (thought !== '') await run.emit(made<ThoughtEvent>({ type: 'ThoughtEvent', source, content: thought }))
    const { text, parts } = reply
    if (text !== '')
      await context.add({ role: 'assistant', content: text, ...(parts === undefined ? {} : { parts }) })
    return reply
  }

  /** Asks what is to be done about a failure. The question and the answer are no part of the conversation. */
  async decide(question: string): Promise<RetryDecision> {
    const { client, instructions, pictures, run } = this.#parts
    const { object } = await client.askObject(
      {
        instructions,
        messages: await this.#messages(question),
        pictures,
        schema: retryDecisionSchema,
        schemaName: 'retry_decision',
      },
      { signal: run.signal, onEvent: (event) => this.#tell(event) },
    )
    return object
  }

  async #messages(question: string | undefined): Promise<readonly ChatMessage[]> {
    const messages = withNames(await this.#parts.context.messages(), this.#parts.source)
    return question === undefined ? messages : [...messages, { role: 'user', content: question }]
  }

  #tell(event: ModelEvent): void | Promise<void> {
    const { source, run } = this.#parts
    switch (event.type) {
      case 'usage':
        this.usage.add(event.modelId, event.usage)
        return
      case 'text-delta':
        return run.emit(
          made<ModelClientStreamingChunkEvent>({
            type: 'ModelClientStreamingChunkEvent',
            source,
            content: event.text,
          }),
        )
      case 'model-fallback': {
        const message = `${event.modelId} failed, and ${event.nextModelId} is asked: ${event.message}`
        return run.emit(
          made<NoticeEvent>({ type: 'NoticeEvent', source, notice: { code: event.type, message } }),
        )
      }
    }
  }
}
