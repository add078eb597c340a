import { knownOptions, toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { TurnQueue } from '@fenced/shared'
import { checkToolName, type ToolCallOptions } from '../tool/agent-tool.ts'
import { asParticipant, type TeamMember } from './as-chat-agent.ts'

/** An agent or a team as a tool for `generateText`, a `ToolLoopAgent`, and the agents in this package. */
export interface TaskTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType<{ task: string }>
  execute(input: { task: string }, options?: Partial<ToolCallOptions>): Promise<string>
}

/** Options of {@link asTool}. */
export interface AsToolOptions {
  /** Name of the tool. @default the agent's name */
  readonly name?: string | undefined
  /** Description for the model that calls the tool. @default the agent's description */
  readonly description?: string | undefined
}

/**
 * Turns an agent or a team into a tool. A call passes it a task and returns its output, with a reason if it ended early. The
 * agent remembers earlier calls, and concurrent calls run one after the other. Aborting a call's signal ends the task.
 *
 * @throws FencedError `INVALID_OPTIONS`; `INVALID_TOOL` for an invalid tool name.
 */
export function asTool(agent: TeamMember, options: AsToolOptions = {}): TaskTool {
  const runner = asParticipant(agent)
  const { name = runner.name, description = runner.description } = knownOptions(
    options,
    { name: true, description: true },
    'asTool()',
  )
  checkToolName(name)
  const turns = new TurnQueue()
  return {
    name,
    description,
    inputSchema: toolInput({
      task: z.string().describe('What is to be done, with everything that is needed for it.'),
    }),
    async execute({ task }, { abortSignal: signal = new AbortController().signal } = {}) {
      using _turn = await turns.take(signal)
      const { status, text, stopReason } = await runner.run({ task, signal })
      if (status === 'cancelled') signal.throwIfAborted()
      return [text, stopReason].filter((part) => part !== undefined && part !== '').join('\n\n')
    },
  }
}
