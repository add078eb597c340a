/** A question: may the program, or the model, call this tool? Plain data, as every {@link ApprovalRequest}. */
export interface ToolApprovalRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'tool'
  /** Random, so that questions of several agents can share a queue. */
  readonly id: string
  /** Id of the call. A model chooses the ids of its calls, and can use one twice. */
  readonly toolCallId: string
  /** The question in one sentence: `A program (line 3) wants to call the tool query_db with {"sql":"..."}.` */
  readonly question: string
  /** The name of the tool. */
  readonly tool: string
  /** SHA-256 over the tool and its arguments, in hex. */
  readonly digest: string
  /** Id of an earlier decision about the same call, which may have been made then: the question says so. */
  readonly after?: string
  /** Description of the tool. */
  readonly description?: string
  /** Whether the tool demands an approval: without an answer the call is denied. Absent where the tool says nothing. */
  readonly needsApproval?: true
  /** The arguments, as they will be passed. */
  readonly input: unknown
  /** Index of the block in the call of `execute`, from 0; absent for a direct call of a model. */
  readonly blockIndex?: number
  /** The line of the program that calls, from 1; absent where it is not known. */
  readonly line?: number
}

/** An answer to {@link ToolApprovalRequest}. */
export type ToolApprovalAnswer = {
  /**
   * The person or system that decides, for the ledger.
   *
   * @default 'person' for an answer of an `ApprovalQueue`, otherwise 'rule'
   */
  readonly by?: 'person' | 'rule' | undefined
} & ToolAnswer

type ToolAnswer =
  | { readonly decision: 'allow' }
  /** The program gets an exception with the reason, and may catch it. */
  | { readonly decision: 'deny'; readonly reason: string }

/** Decides whether a program may call a tool. The program waits, and its time limit with it, up to `maxWaitMs` per block. A rejection denies. */
export type ApproveTool = (
  request: ToolApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ToolApprovalAnswer | Promise<ToolApprovalAnswer>
