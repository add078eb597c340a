/** What the AI SDK tells a tool about a call, as far as it matters here. */
export interface SandboxToolCall {
  readonly abortSignal?: AbortSignal | undefined
}
