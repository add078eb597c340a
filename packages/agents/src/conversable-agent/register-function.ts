import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { Agent } from '../agent/agent.ts'
import type { AgentTool, ToolDescription } from '../tool/agent-tool.ts'

/** The agent whose model calls a tool, and the agent that executes it. */
export interface ToolRoles {
  /** Agent whose model can call the tool. */
  readonly caller: Agent
  readonly executor: Agent
  /** Name of the tool. @default the tool's own name */
  readonly name?: string | undefined
  /** Description for the model. @default the tool's own description */
  readonly description?: ToolDescription | undefined
}

const toolRoleNames: OptionNames<ToolRoles> = {
  caller: true,
  executor: true,
  name: true,
  description: true,
}

/**
 * Registers a tool with two agents: the model of one calls it, and the other executes it.
 *
 * @throws FencedError `INVALID_OPTIONS`, `INVALID_TOOL`.
 */
export function registerFunction<Input, Output>(
  tool: Omit<AgentTool<Input, Output>, 'name'> & { readonly name?: string },
  roles: ToolRoles,
): void {
  const known = knownOptions(roles, toolRoleNames, 'registerFunction()')
  const { caller, executor, name = tool.name ?? '', description = tool.description } = known
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
