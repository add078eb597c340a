import type { ChatEvent } from '../chat/chat-event.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ModelEvent } from '../model/model-request.ts'
import {
  type AgentEvent,
  type CodeExecutionEvent,
  type CodeOutputEvent,
  type ModelClientStreamingChunkEvent,
  made,
  type NoticeEvent,
  type ThoughtEvent,
  type ToolCallExecutionEvent,
  type ToolCallRequestEvent,
  type UserInputRequestedEvent,
} from '../task/agent-message.ts'

/** What happens while an agent of the 0.2 family replies, as events of a team. */
export class AgentEvents {
  readonly #thoughts = new Map<string, string>()

  of(event: ChatEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'model':
        return this.#ofModel(event.agent, event.event)
      case 'code': {
        const { agent: source, event: output } = event
        return [made<CodeOutputEvent>({ type: 'CodeOutputEvent', source, retryAttempt: 0, event: output })]
      }
      case 'code-end': {
        const { agent: source, result } = event
        const content = result.output
        return [
          made<CodeExecutionEvent>({ type: 'CodeExecutionEvent', source, retryAttempt: 0, result, content }),
        ]
      }
      case 'human-input-request': {
        const { agent: source, prompt } = event.request
        return [made<UserInputRequestedEvent>({ type: 'UserInputRequestedEvent', source, prompt })]
      }
      case 'inner-message':
        return this.#ofInnerMessage(event.agent, event.message)
      case 'notice':
        return [made<NoticeEvent>({ type: 'NoticeEvent', source: event.agent, notice: event.notice })]
      default:
        return []
    }
  }

  /** What models have thought so far; it comes in one piece. */
  rest(): readonly AgentEvent[] {
    const thoughts = [...this.#thoughts]
    this.#thoughts.clear()
    return thoughts.map(([source, content]) => made<ThoughtEvent>({ type: 'ThoughtEvent', source, content }))
  }

  #ofInnerMessage(
    source: string,
    { toolCalls = [], toolResponses: results = [] }: ChatMessage,
  ): readonly AgentEvent[] {
    return [
      ...this.rest(),
      ...(toolCalls.length === 0
        ? []
        : [made<ToolCallRequestEvent>({ type: 'ToolCallRequestEvent', source, toolCalls })]),
      ...(results.length === 0
        ? []
        : [made<ToolCallExecutionEvent>({ type: 'ToolCallExecutionEvent', source, results })]),
    ]
  }

  #ofModel(source: string, event: ModelEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'text-delta': {
        const content = event.text
        return [
          made<ModelClientStreamingChunkEvent>({ type: 'ModelClientStreamingChunkEvent', source, content }),
        ]
      }
      case 'reasoning-delta':
        this.#thoughts.set(source, `${this.#thoughts.get(source) ?? ''}${event.text}`)
        return []
      case 'model-fallback': {
        const message = `${event.modelId} failed, and ${event.nextModelId} is asked: ${event.message}`
        this.#thoughts.delete(source)
        return [made<NoticeEvent>({ type: 'NoticeEvent', source, notice: { code: event.type, message } })]
      }
      default:
        return []
    }
  }
}
