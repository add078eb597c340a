import type { TextStreamPart, ToolSet } from 'ai'
import type { ToolResponse } from '../message/chat-message.ts'
import { messageOf } from '../model/describe-failure.ts'
import { readToolCall } from '../model/tool-calls.ts'
import type { UsageMeter } from '../model/usage.ts'
import { usageOfCall } from '../model/usage.ts'
import {
  type AgentEvent,
  type ModelClientStreamingChunkEvent,
  made,
  type ThoughtEvent,
  type ToolCallExecutionEvent,
  type ToolCallRequestEvent,
} from '../task/agent-message.ts'
import { asText } from '../tool/call-tool.ts'

/** A call of a tool that waits for an approval. */
export type ApprovalPart = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>

/** The stream of an agent of the AI SDK as events of a team. */
export class AiSdkEvents {
  readonly approvals: ApprovalPart[] = []
  readonly #source: string
  readonly #usage: UsageMeter
  #thought = ''

  constructor(source: string, usage: UsageMeter) {
    this.#source = source
    this.#usage = usage
  }

  of(part: TextStreamPart<ToolSet>): readonly AgentEvent[] {
    const source = this.#source
    switch (part.type) {
      case 'text-delta': {
        const { text: content } = part
        return [
          made<ModelClientStreamingChunkEvent>({ type: 'ModelClientStreamingChunkEvent', source, content }),
        ]
      }
      case 'reasoning-delta':
        this.#thought += part.text
        return []
      case 'reasoning-end': {
        const content = this.#thought
        this.#thought = ''
        return content === '' ? [] : [made<ThoughtEvent>({ type: 'ThoughtEvent', source, content })]
      }
      case 'tool-call': {
        const toolCalls = [readToolCall(part)]
        return [made<ToolCallRequestEvent>({ type: 'ToolCallRequestEvent', source, toolCalls })]
      }
      case 'tool-result':
        return part.preliminary === true ? [] : [this.#executed(part, asText(part.output))]
      case 'tool-error':
        return [this.#executed(part, messageOf(part.error), true)]
      case 'tool-approval-request':
        this.approvals.push(part)
        return []
      case 'finish-step':
        this.#usage.add(part.response.modelId, usageOfCall(part.usage, part.response.modelId, undefined))
        return []
      case 'error':
        throw part.error
      default:
        return []
    }
  }

  #executed(
    { toolCallId, toolName: name }: { readonly toolCallId: string; readonly toolName: string },
    content: string,
    isError = false,
  ): AgentEvent {
    const result: ToolResponse = { toolCallId, name, content, ...(isError ? { isError } : {}) }
    return made<ToolCallExecutionEvent>({
      type: 'ToolCallExecutionEvent',
      source: this.#source,
      results: [result],
    })
  }
}
