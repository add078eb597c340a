/** The part of the AI SDK's tool call options used here. */
export interface SandboxToolCall {
  readonly abortSignal?: AbortSignal | undefined
}
