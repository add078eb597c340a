import {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  type CodeExecutor,
  codeExecutionTool,
  DecisionLedger,
  type HostToolCallOptions,
  RememberedApprovals,
} from '@fenced/core'
import type { Tool, ToolSet } from 'ai'
import { type ToolCallerTool, toolCaller } from '../ai-sdk.ts'

type HostTools = NonNullable<CodeExecutionToolOptions['tools']>

/**
 * Returns a tool that runs programs in an executor. The programs can call the other tools of the same `generateText`,
 * `streamText` or agent that `experimental_toolCallers` assigns to this one. The model reads only what a program prints, not the
 * results of its calls. Programs can also call the tools in the `tools` option, which the model never sees.
 *
 * `ask` is called for each program and each tool call, and the program waits for the answer. A tool with `needsApproval` requires it. The AI SDK's `toolApproval` can decide about the
 * program instead. A called tool receives the messages, context and sandbox that the SDK passes to this one.
 *
 * @throws FencedError `INVALID_OPTIONS`; `TOOLS_UNSUPPORTED` if no language of the executor supports tool calls.
 * @example
 * ```ts
 * const tools = { code: codeModeTool(executor), sales, stock }
 * await generateText({ model, prompt, tools, experimental_toolCallers: { sales: ['code'], stock: ['code'] } })
 * ```
 */
export function codeModeTool(
  executor: CodeExecutor,
  options: CodeExecutionToolOptions = {},
): ToolCallerTool<CodeExecutionTool> {
  // Each call makes a separate tool. All have one ledger, and the same remembered answers.
  const { tools = {}, ledger = new DecisionLedger(), remembered = new RememberedApprovals() } = options
  const shared = { ...options, ledger, remembered }
  const unbound = codeExecutionTool(executor, { ...shared, tools })
  return toolCaller(unbound, (callable) => bound(executor, shared, callable) as unknown as Tool)
}

/** The same, for programs that call these tools as well. */
function bound(
  executor: CodeExecutor,
  options: CodeExecutionToolOptions,
  callable: ToolSet,
): CodeExecutionTool {
  const withTools = (tools: HostTools) =>
    codeExecutionTool(executor, { ...options, tools: { ...options.tools, ...tools } })
  return {
    ...withTools(callable as HostTools),
    execute: (input: CodeExecutionToolInput, call: object = {}) =>
      withTools(withCall(callable as HostTools, call)).execute(input, call),
  }
}

/** What the SDK says about the call of a program is said to each tool that the program calls. */
function withCall(tools: HostTools, call: object): HostTools {
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    if (typeof tool === 'function' || tool.execute === undefined) return [name, tool]
    const execute = (input: never, { toolCallId, abortSignal }: HostToolCallOptions) =>
      tool.execute?.(input, { ...call, toolCallId, abortSignal } as never)
    return [name, { ...tool, execute }]
  })
  return Object.fromEntries(wrapped)
}
