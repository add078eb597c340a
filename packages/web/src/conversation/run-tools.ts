import type { ApproveTool, CodeExecutor, HostTool, HostToolOptions } from '@fenced/core'

/**
 * The tools that the programs of an executor can call, none where they cannot call any. A person is asked about those with
 * `needsApproval`.
 */
export function toolsOfRun(
  { tools, toolLimits, approveTool }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: CodeExecutor,
  askPerson: ApproveTool,
): HostToolOptions | undefined {
  if (tools === undefined || toolLanguages.length === 0) return undefined
  const ask: ApproveTool = async (request, options) =>
    (await needsApproval(tools[request.tool], request.input))
      ? askPerson(request, options)
      : { decision: 'allow' }
  return { tools, toolLimits, approveTool: approveTool ?? ask }
}

/** For a person who decides about a program: what it can call. */
export function toolNames(
  { tools }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: CodeExecutor,
): { readonly tools?: readonly string[] } {
  return tools === undefined || toolLanguages.length === 0 ? {} : { tools: Object.keys(tools) }
}

/** As the AI SDK has it: a value, or a function of the input. */
async function needsApproval(tool: HostTool | undefined, input: unknown): Promise<boolean> {
  if (tool === undefined || typeof tool === 'function') return false
  const needs = tool.needsApproval
  return Boolean(typeof needs === 'function' ? await needs(input, { messages: [] }) : needs)
}
