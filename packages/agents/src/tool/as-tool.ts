import { TurnQueue } from '@fenced/core/internal'
import { z } from 'zod'
import type { TaskRunner } from '../task/chat-agent.ts'
import { checkToolName, type ToolCallOptions } from './agent-tool.ts'

/** An agent or a team as a tool: of `generateText`, a `ToolLoopAgent`, and the agents of this package. */
export interface TaskTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType<{ task: string }>
  execute(input: { task: string }, options?: Partial<ToolCallOptions>): Promise<string>
}

/** Options of {@link asTool}. */
export interface AsToolOptions {
  /** Default: the name of the agent. */
  readonly name?: string | undefined
  /** For the model that decides to call it. Default: the description of the agent. */
  readonly description?: string | undefined
}

/**
 * Makes a tool of an agent or a team. A call gives it a task, and its answer is the output, with the reason where it ended
 * before it was done. It remembers the calls before; calls at the same time are done one after the other. Aborting the
 * signal of a call ends the task.
 *
 * @throws FencedError `INVALID_TOOL` for a name that no tool can have.
 */
export function asTool(
  runner: TaskRunner & { readonly name: string; readonly description: string },
  { name = runner.name, description = runner.description }: AsToolOptions = {},
): TaskTool {
  checkToolName(name)
  const turns = new TurnQueue()
  return {
    name,
    description,
    inputSchema: z.object({
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
