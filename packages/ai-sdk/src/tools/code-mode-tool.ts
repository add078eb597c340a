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
 * A tool of an executor whose programs call other tools of the same `generateText`, `streamText` or agent: those that
 * `experimental_toolCallers` gives to it. The model reads what a program prints, and nothing of what it called. Tools of the
 * `tools` option are called as well, and the model never sees them.
 *
 * `ask` decides about the programs and about each call of a tool; `approveTool` is its short form for the calls alone. A tool with
 * `needsApproval` needs one of them. The program waits for the answer. The
 * `toolApproval` of the AI SDK can decide about the program instead. A tool gets what the SDK gives to this one: its messages, context and
 * sandbox.
 *
 * @throws FencedError `INVALID_OPTIONS`; `TOOLS_UNSUPPORTED` where no program of the executor can call tools.
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
