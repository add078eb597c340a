/** A question about whether the program, or the model, may call a tool. Plain data, like every {@link ApprovalRequest}. */
export interface ToolApprovalRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'tool'
  /** Random ID, so that questions from several agents can share a queue. */
  readonly id: string
  /** ID of the call. A model chooses the IDs of its calls and may reuse one. */
  readonly toolCallId: string
  /** The question in one sentence: `A program (line 3) wants to call the tool query_db with {"sql":"..."}.` */
  readonly question: string
  /** The name of the tool. */
  readonly tool: string
  /** SHA-256 hash of the tool and its arguments, in hex. */
  readonly digest: string
  /** ID of an earlier decision about the same call, which may already have been made. The question mentions this. */
  readonly after?: string
  /** Description of the tool. */
  readonly description?: string
  /** Whether the tool requires approval: without an answer, the call is denied. Absent if the tool does not specify this. */
  readonly needsApproval?: true
  /** The arguments, as they will be passed to the tool. */
  readonly input: unknown
  /** Index of the block in the `execute` call, counted from 0. Absent if a model calls the tool directly. */
  readonly blockIndex?: number
  /** Line of the program that makes the call, counted from 1. Absent if unknown. */
  readonly line?: number
}

/** An answer to a {@link ToolApprovalRequest}. */
export type ToolApprovalAnswer = {
  /**
   * Origin of the decision (a person or a rule), recorded in the ledger.
   *
   * @default 'person' for an answer from an `ApprovalQueue`, otherwise 'rule'
   */
  readonly by?: 'person' | 'rule' | undefined
} & ToolAnswer

type ToolAnswer =
  | { readonly decision: 'allow' }
  /** The program receives an exception with the reason and can catch it. */
  | { readonly decision: 'deny'; readonly reason: string }
