import { type AskByKind, type CodeExecutor, DecisionLedger, type HostToolCallOptions } from '@fenced/core'
import { askerOf, askingExecutor, askKinds } from '@fenced/core/internal'
import {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from '@fenced/core/tool'
import type { Tool, ToolSet } from 'ai'
import { type ToolCallerTool, toolCaller } from '../ai-sdk.ts'

type HostTools = NonNullable<CodeExecutionToolOptions['tools']>

/**
 * Returns a tool that runs programs in an executor. The programs can call the other tools of the same `generateText`,
 * `streamText` or agent that `experimental_toolCallers` assigns to this one. The model reads only what a program prints, not the
 * results of its calls. Programs can also call the tools in the `tools` option, which the model never sees.
 *
 * `ask` is called for each program and each tool call, and the program waits for the answer. `approveTool` is a shorthand that
 * covers calls only. A tool with `needsApproval` requires one of the two. The AI SDK's `toolApproval` can decide about the
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
  const shared = askingOnce(executor, options)
  const { tools = {} } = options
  const unbound = codeExecutionTool(shared.executor, { ...shared.options, tools })
  return toolCaller(
    unbound,
    (callable) => bound(shared.executor, shared.options, callable) as unknown as Tool,
  )
}

/** Each call makes a separate tool. All share one executor that asks, with its queue and its remembered answers, and one ledger. */
function askingOnce(
  executor: CodeExecutor,
  options: CodeExecutionToolOptions,
): { readonly executor: CodeExecutor; readonly options: CodeExecutionToolOptions } {
  const { ask, askTimeoutMs, ledger = new DecisionLedger(), ...more } = options
  if (ask === undefined) return { executor, options: { ...options, ledger } }
  const asker = askerOf({ ask, askTimeoutMs })
  const others = askKinds
    .filter((kind) => kind !== 'code' && asker.has(kind))
    .map((kind) => [kind, asker.ask.bind(asker)])
  return {
    executor: askingExecutor(executor, { asker, ledger }).executor,
    options: { ...more, ledger, ask: Object.fromEntries(others) as AskByKind },
  }
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
