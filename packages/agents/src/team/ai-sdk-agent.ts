import type { Ask, DecisionLedger } from '@fenced/core'
import { ledgerSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { type ModelAgentOptions, modelOptionsShape } from '../agent/agent-options.ts'

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
