import type { Agent } from '../agent/agent.ts'
import type { AgentTool, ToolDescription } from '../tool/agent-tool.ts'

/** The agent whose model requests a tool, and the agent that calls it. */
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
 * Gives a tool to two agents: the model of one requests it, and the other calls it.
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
