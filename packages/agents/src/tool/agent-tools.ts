import type { Agent } from '../agent/agent.ts'
import type { AgentInternals } from '../agent/agent-internals.ts'
import { type AgentTool, type AnyAgentTool, checkToolName, type ToolDescription } from './agent-tool.ts'

/** A tool of the same name is replaced. */
export function addTool<Input, Output>(
  tools: Map<string, AnyAgentTool>,
  tool: AgentTool<Input, Output>,
): void {
  checkToolName(tool.name)
  // The input of every call is checked by its own schema.
  tools.set(tool.name, tool as unknown as AnyAgentTool)
}

export function removeTool({ declaredTools, callableTools }: AgentInternals, name: string): void {
  declaredTools.delete(name)
  callableTools.delete(name)
}

/** Who asks for a tool, and who calls it. */
export interface ToolRoles {
  /** Its model can ask for the tool. */
  readonly caller: Agent
  readonly executor: Agent
  /** Default: the tool's own. */
  readonly name?: string | undefined
  /** Default: the tool's own. */
  readonly description?: ToolDescription | undefined
}

/**
 * Gives a tool to two agents: one whose model asks for it, and one that calls it.
 *
 * @throws FencedError `INVALID_TOOL`.
 */
export function registerFunction<Input, Output>(
  tool: Omit<AgentTool<Input, Output>, 'name'> & { readonly name?: string },
  { caller, executor, name = tool.name ?? '', description = tool.description }: ToolRoles,
): void {
  const { inputSchema } = tool
  const named: AgentTool<Input, Output> = {
    name,
    description,
    inputSchema,
    execute: (input, options) => tool.execute(input, options),
    needsApproval: tool.needsApproval,
    ...(tool.toModelOutput === undefined
      ? {}
      : { toModelOutput: (result) => tool.toModelOutput?.(result) as never }),
  }
  caller.registerForModel(named)
  executor.registerForExecution(named)
}
