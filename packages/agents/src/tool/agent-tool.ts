import { FencedError } from '@fenced/core'
import type { Experimental_SandboxSession, FlexibleSchema, ModelMessage, ToolSet } from 'ai'

/** A tool for agents in the AI SDK's format: the result of its `tool()`, or a similar object, with a name. */
export interface AgentTool<Input = never, Output = unknown> {
  /** Name of the tool: at most 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** Description for the model. */
  readonly description?: ToolDescription | undefined
  /** A zod schema, or any other schema that the AI SDK supports. */
  readonly inputSchema: FlexibleSchema<Input>
  /** Executes the tool. An async generator reports progress; its last value is the result. */
  execute(input: Input, options: ToolCallOptions): AsyncIterable<Output> | PromiseLike<Output> | Output
  /** Returns the text of an output for the model. @default a string unchanged, any other value as JSON */
  toModelOutput?(options: {
    toolCallId: string
    input: Input
    output: Output
  }): ToolModelOutput | PromiseLike<ToolModelOutput>
  /** Whether a call needs an answer of the agent's `ask`, as in the AI SDK. Without one, the call is denied. */
  readonly needsApproval?: unknown
}

/** A text, or a function that returns it to the AI SDK. */
export type ToolDescription = string | ((options: never) => string)

/** Options that a tool receives in addition to its input, as in the AI SDK. */
export interface ToolCallOptions extends SandboxOfCall {
  readonly toolCallId: string
  /** The conversation that led to the call, without the answer that contains the call. */
  readonly messages: ModelMessage[]
  readonly abortSignal: AbortSignal
  readonly context: Record<string, unknown>
}

/**
 * A part of an output: a text or a file. A model that accepts pictures receives them; for any other file, it reads only the type.
 */
export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly mediaType?: string
  readonly data?: unknown
}

/** The tool outputs of the AI SDK that are text or data. */
export type ToolModelOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: unknown }
  | { readonly type: 'content'; readonly value?: readonly ContentPart[] }
  | { readonly type: 'execution-denied' }

/** A tool of unknown types. */
export type AnyAgentTool = AgentTool<never, never>

/** @throws FencedError `INVALID_TOOL`. */
export function checkToolName(name: string): void {
  if (/^[\w-]{1,64}$/.test(name)) return
  throw new FencedError({
    code: 'INVALID_TOOL',
    message: `"${name}" cannot be the name of a tool. Use at most 64 letters, digits, "_" and "-".`,
    data: { tool: name },
  })
}

/**
 * The tools of the option `tools`, by what becomes of them: all are for the model; those with `execute` the agent calls
 * itself; what a provider runs has none.
 *
 * @throws FencedError `INVALID_TOOL`.
 */
export function namedTools(tools: ToolSet = {}): readonly AnyAgentTool[] {
  return Object.entries(tools).map(([name, tool]) => {
    checkToolName(name)
    return { ...tool, name } as unknown as AnyAgentTool
  })
}

/** Whether an agent can call a tool. */
export function isCallable(tool: AnyAgentTool): boolean {
  return typeof tool.execute === 'function'
}

// What is experimental in the AI SDK is named here and nowhere else in this package.

/** A sandbox session of the AI SDK: files and processes of one sandbox. */
export type SandboxSession = Experimental_SandboxSession

/** How a tool gets the session. */
interface SandboxOfCall {
  /** The option `sandbox` of the agent. */
  readonly experimental_sandbox?: SandboxSession
}

export function sandboxOfCall(sandbox: SandboxSession | undefined): SandboxOfCall {
  return sandbox === undefined ? {} : { experimental_sandbox: sandbox }
}

/** A tool of the same name is replaced. */
export function addTool<Input, Output>(
  tools: Map<string, AnyAgentTool>,
  tool: AgentTool<Input, Output>,
): void {
  checkToolName(tool.name)
  // The input of every call is checked by its own schema.
  tools.set(tool.name, tool as unknown as AnyAgentTool)
}
