// Published by `@fenced/agents`. The types are here so that a subscriber does not need that package.

/** Data on the `fenced:agent-run` tracing channel for one task of an agent or a team, or one conversation. */
export interface AgentRunTrace {
  readonly kind: 'task' | 'conversation'
  /** Name of the agent or team; in a conversation, of the agent that starts it. */
  readonly name: string
  /** The result. Set when the run ends. */
  readonly result?: { readonly status: string }
  /** The error with which the run rejected. */
  readonly error?: unknown
}

/** Data on the `fenced:agent-turn` tracing channel for one answer of an agent. */
export interface AgentTurnTrace {
  /** Name of the agent. */
  readonly agent: string
  /** The error with which the turn failed, or the reason of its cancellation. */
  readonly error?: unknown
}

/** Data on the `fenced:chat` tracing channel for one request to a model. */
export interface ModelCallTrace {
  /** ID of the model. */
  readonly model: string
  /** Provider as the AI SDK names it: `openai.responses`. `gateway` for a model that is only an ID. */
  readonly provider: string
  /** Set when the provider has reported it. */
  usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedInputTokens?: number }
  /** Reason for the end of the answer: `stop`, `length`, `tool-calls`. Set if there is an answer. */
  finishReason?: string | undefined
  /** The error because of which there is no answer. Another model may answer then. */
  failure?: unknown
  /** The error with which the request rejected, such as the reason of a cancellation. */
  readonly error?: unknown
}

/** Data on the `fenced:tool` tracing channel for one tool call by an agent. */
export interface ToolCallTrace {
  /** Name of the tool: `other` if the agent has no such tool. */
  readonly tool: string
  /** The outcome. Set when the call ends. */
  readonly result?: { readonly isError?: boolean }
}
