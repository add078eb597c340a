import type { Ask, DecisionLedger } from '@fenced/core'
import { ledgerSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { type ModelAgentOptions, modelOptionsShape } from '../agent/agent-options.ts'
import type { EventInit } from '../event.ts'
import { asText, type ToolCall, type ToolResponse } from '../message/tool-parts.ts'
import { readToolCall } from '../model/tool-calls.ts'
import { type UsageMeter, usageOfCall } from '../usage.ts'

/** The part of an AI SDK `Agent`, such as a `ToolLoopAgent`, that a team needs. */
export interface AiSdkAgent {
  readonly version: 'agent-v1'
  readonly id: string | undefined
  stream(options: { messages: ModelMessage[]; abortSignal?: AbortSignal }): PromiseLike<AiSdkAnswer>
}

interface AiSdkAnswer {
  readonly stream: AsyncIterable<TextStreamPart<ToolSet>>
  readonly text: PromiseLike<string>
  readonly responseMessages: PromiseLike<readonly ModelMessage[]>
}

/** Options of `asChatAgent` for an AI SDK agent. */
export interface AiSdkParticipantOptions
  extends Pick<ModelAgentOptions, 'askTimeoutMs' | 'maxInputTokens' | 'modelContext'> {
  /** Name in the team. @default the agent's `id` */
  readonly name?: string | undefined
  /** Description for other agents. @default that it is an assistant with tools */
  readonly description?: string | undefined
  /** Asked about each tool call that needs an approval. Default: the call is denied. */
  readonly ask?: Ask | undefined
  /**
   * Maximum number of consecutive steps with tool calls that need an approval, before the agent must answer. All calls in one
   * answer of its model count once.
   *
   * @default 20
   */
  readonly maxToolIterations?: number | undefined
  /**
   * Ledger of the tool calls that need an approval, so that each decision is used at most once. A call without a result counts as
   * `unknown`.
   *
   * @default a ledger in memory, for this agent alone
   */
  readonly ledger?: DecisionLedger | undefined
  /** Whether the agent receives the pictures in messages. @default false */
  readonly pictures?: boolean | undefined
}

const { maxToolIterations, maxInputTokens, modelContext } = modelOptionsShape

export const checkedSchema = z.looseObject({
  ...{ maxToolIterations, maxInputTokens, modelContext },
  ledger: ledgerSchema.optional(),
})

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
