/** The tool call options of the AI SDK that these tools use. */
export interface SandboxToolCall {
  readonly abortSignal?: AbortSignal | undefined
}
