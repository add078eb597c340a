import type { ApproveTool, Ask, DecisionLedger } from '@fenced/core'
import { ledgerSchema } from '@fenced/core/internal'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { z } from 'zod'

/** As much of an `Agent` of the AI SDK, such as a `ToolLoopAgent`, as a team needs. */
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

/** Options of `asChatAgent` for an agent of the AI SDK. */
export interface AiSdkParticipantOptions {
  /** Its name in the team. Default: its `id`. */
  readonly name?: string | undefined
  /** Its description for other agents. Default: that it is an assistant with tools. */
  readonly description?: string | undefined
  /** Asked where a tool of the agent needs an approval. Default: the call is denied. */
  readonly approveTool?: ApproveTool | undefined
  /** Answers all questions of the agent; `approveTool` is the short form. Default: a call that needs an approval is denied. */
  readonly ask?: Ask | undefined
  /** Time limit for each question, in milliseconds. An expired question is denied. Default: none. */
  readonly askTimeoutMs?: number | undefined
  /**
   * How often in a row its tools may need an approval before it has to answer. The calls of one answer of its model count once.
   *
   * @default 20
   */
  readonly maxToolIterations?: number | undefined
  /**
   * Records the calls of tools that are asked about, so that each decision is used at most once. A call without a result counts as
   * `unknown`.
   *
   * @default a ledger in memory, for this agent alone
   */
  readonly ledger?: DecisionLedger | undefined
  /** Whether it is given the pictures of messages. Default `false`. */
  readonly pictures?: boolean | undefined
}

/** The options that are checked. */
export const checkedSchema = z.looseObject({
  maxToolIterations: z.int().min(1).default(20),
  ledger: ledgerSchema.optional(),
})
