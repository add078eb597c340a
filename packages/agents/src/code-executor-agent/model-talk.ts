import type { ChatMessage, ToolCall } from '../message/chat-message.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { ModelEvent, ModelReply } from '../model/model-request.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import { UsageMeter } from '../model/usage.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { RunContext } from '../running/run-with-events.ts'
import {
  type ModelClientStreamingChunkEvent,
  made,
  type NoticeEvent,
  type ThoughtEvent,
  type ToolCallExecutionEvent,
  type ToolCallRequestEvent,
} from '../task/agent-message.ts'
import type { AgentItem } from '../task/chat-agent.ts'
import { withNames } from '../team/heard-from-team.ts'
import type { AnyAgentTool } from '../tool/agent-tool.ts'
import { calledTooOften, callTool, type ToolCallContext } from '../tool/call-tool.ts'
import { type RetryDecision, retryDecisionSchema } from './retry.ts'

export interface ModelTalkParts {
  readonly source: string
  readonly client: ModelClient
  readonly context: ModelContext
  readonly instructions: string | undefined
  /** Whether the model is given pictures. */
  readonly pictures: boolean
  readonly tools: TurnTools
  readonly run: RunContext<AgentItem>
}

/** The tools that the agent calls for its model. */
export interface TurnTools extends Pick<ToolCallContext, 'approveTool' | 'sandbox'> {
  readonly byName: ReadonlyMap<string, AnyAgentTool>
  readonly maxIterations: number
}

/** The model of an agent while it answers once: what it says becomes events, and all that it uses is counted. */
export class ModelTalk {
  readonly usage = new UsageMeter()
  readonly #parts: ModelTalkParts

  constructor(parts: ModelTalkParts) {
    this.#parts = parts
  }

  /**
   * Asks for an answer, which becomes part of the conversation; a `question` for it does not. What the model wants of tools
   * is called on the way.
   */
  async answer(question?: string): Promise<ModelReply> {
    const { context, tools } = this.#parts
    for (let iterations = 0; ; iterations++) {
      const reply = await this.#ask(question)
      const { text, toolCalls, parts } = reply
      const said: ChatMessage = {
        role: 'assistant',
        content: text,
        ...(parts === undefined ? {} : { parts }),
      }
      if (toolCalls.length === 0) {
        if (text !== '') await context.add(said)
        return reply
      }
      if (iterations === tools.maxIterations) {
        const content = `${text}\n\n${calledTooOften(iterations)}`.trim()
        await context.add({ role: 'assistant', content })
        return { ...reply, text: content, toolCalls: [] }
      }
      const heard = await this.#messages(question)
      await context.add({ ...said, toolCalls })
      await context.add(await this.#callTools(toolCalls, heard))
    }
  }

  async #ask(question: string | undefined): Promise<ModelReply> {
    const { source, client, instructions, pictures, tools, run } = this.#parts
    let thought = ''
    const reply = await client.ask(
      {
        instructions,
        messages: await this.#messages(question),
        pictures,
        tools: Object.fromEntries(tools.byName),
      },
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
    return reply
  }

  async #callTools(toolCalls: readonly ToolCall[], heard: readonly ChatMessage[]): Promise<ChatMessage> {
    const { source, tools, run } = this.#parts
    await run.emit(made<ToolCallRequestEvent>({ type: 'ToolCallRequestEvent', source, toolCalls }))
    await run.drained()
    const { messages } = toModelMessages({ messages: heard })
    const context = { ...tools, messages, signal: run.signal, onOutput: () => {} }
    const results = await Promise.all(
      toolCalls.map((call) => callTool(tools.byName.get(call.name), call, context)),
    )
    run.signal.throwIfAborted()
    await run.emit(made<ToolCallExecutionEvent>({ type: 'ToolCallExecutionEvent', source, results }))
    return {
      role: 'tool',
      content: results.map(({ content }) => content).join('\n\n'),
      toolResponses: results,
    }
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
