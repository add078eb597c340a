import type { ApprovalRequest, BlockResult, Notice, OutputFile, ProgramError } from '@fenced/core'
import type { InferUIMessageChunk, UIMessage } from 'ai'
import type { ApprovalChoice } from '../event.ts'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { UsageSummary } from '../usage.ts'

/** A message of a run, for `useChat<AgentUIMessage>()`. */
export type AgentUIMessage = UIMessage<AgentUIMetadata, AgentUIDataParts>

/** Data at the end of a run. */
interface AgentUIMetadata {
  /** Usage of all models that were called. */
  readonly usage?: UsageSummary
  /** Reason for the end, as a sentence. Absent if an agent simply answered. */
  readonly stopReason?: string
}

/**
 * Data parts of an {@link AgentUIMessage}, by name: `data-code` has the data of `code`. A later part with the same id replaces an
 * earlier one. A `blockId` is the id of a block's `data-code`.
 */
export type AgentUIDataParts = {
  /** The agent that the next parts come from. */
  agent: { readonly name: string }
  /** A block, replaced when it ends. */
  code: {
    readonly agent: string
    readonly language: string
    readonly code: string
    readonly status: 'running' | BlockResult['status']
    /** Absent while the block runs. */
    readonly exitCode?: number
  }
  /** Text that a block printed so far, replaced at most every 100 ms. Only its end is kept, up to 16,000 characters. */
  output: { readonly blockId: string; readonly text: string }
  /** A file that a block created or changed. */
  file: { readonly blockId: string } & Pick<OutputFile, 'path' | 'sizeBytes' | 'change'>
  /** A picture that a block or a tool showed, as a `data:` URL. */
  picture: { readonly blockId?: string; readonly mediaType: string; readonly url: string }
  /** The error that ended a block's program. */
  error: { readonly blockId: string } & Pick<ProgramError, 'name' | 'message' | 'text'>
  /** A question, replaced when it is answered or withdrawn. Its id is the id of the request. */
  question: AgentUIQuestion
  /** Information for the reader. */
  notice: Pick<Notice, 'code' | 'message'>
}

interface AgentUIQuestion {
  readonly agent: string
  /** Text of the question. */
  readonly question: string
  /** A question about code, a tool call or another action, or a request for a person's message. */
  readonly request: ApprovalRequest | HumanInputRequest
  /** Answers that a page can offer as buttons. Empty if the answer is a text. */
  readonly choices: readonly ApprovalChoice[]
  readonly state: 'open' | 'answered' | 'withdrawn'
  /** The answer, without a text that a person typed. */
  readonly decision?: 'allow' | 'deny' | 'edit' | 'answer'
}

/** A piece of the stream. */
export type AgentUIChunk = InferUIMessageChunk<AgentUIMessage>

export type WriteChunk = (chunk: AgentUIChunk) => void
