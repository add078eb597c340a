import { errorMessage } from '@fenced/errors'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { EventInit } from '../event.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import { readToolCall } from '../model/tool-calls.ts'
import { asText } from '../tool/call-tool.ts'
import { type UsageMeter, usageOfCall } from '../usage.ts'

export type ApprovalPart = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>

/** The stream of an agent of the AI SDK as events of a team. */
export class AiSdkEvents {
  readonly approvals: ApprovalPart[] = []
  /** The model whose last answer reached the limit of tokens. */
  cutModel: string | undefined
  readonly #source: string
  readonly #usage: UsageMeter
  readonly #calls = new Map<string, ToolCall>()
  #thought = ''

  constructor(source: string, usage: UsageMeter) {
    this.#source = source
    this.#usage = usage
  }

  of(part: TextStreamPart<ToolSet>): readonly EventInit[] {
    const agent = this.#source
    switch (part.type) {
      case 'text-delta':
        return [{ type: 'text-delta', agent, text: part.text }]
      case 'reasoning-delta':
        this.#thought += part.text
        return [{ type: 'reasoning-delta', agent, text: part.text }]
      case 'reasoning-end': {
        const content = this.#thought
        this.#thought = ''
        return content === '' ? [] : [{ type: 'thought', agent, content }]
      }
      case 'tool-call': {
        const call = readToolCall(part)
        this.#calls.set(call.id, call)
        return [
          { type: 'tool-calls', agent, content: '', toolCalls: [call] },
          { type: 'tool-start', agent, call },
        ]
      }
      case 'tool-result':
        return part.preliminary === true ? [] : this.#executed(part, asText(part.output))
      case 'tool-error':
        return this.#executed(part, errorMessage(part.error), true)
      case 'tool-approval-request':
        this.approvals.push(part)
        return []
      case 'finish-step': {
        const { modelId } = part.response
        const usage = usageOfCall(part.usage, modelId, undefined)
        this.#usage.add(modelId, usage)
        this.cutModel = part.finishReason === 'length' ? modelId : undefined
        return [{ type: 'usage', agent, modelId, usage }]
      }
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
  ): readonly EventInit[] {
    const agent = this.#source
    const response: ToolResponse = { toolCallId, name, content, ...(isError ? { isError } : {}) }
    const call = this.#calls.get(toolCallId) ?? { id: toolCallId, name, input: undefined }
    return [
      { type: 'tool-end', agent, call, response },
      { type: 'tool-results', agent, results: [response] },
    ]
  }
}

/** Whether a message has a call that waits for an approval. */
export function isWaiting({ content }: ModelMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool-approval-request')
}
