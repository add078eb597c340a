import { knownOptions, toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { TurnQueue } from '@fenced/shared'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { ChatAgent, Participant } from '../task/chat-agent.ts'
import { checkToolName, type ToolCallOptions } from '../tool/agent-tool.ts'
import type { AiSdkAgent, AiSdkParticipantOptions } from './ai-sdk-agent.ts'
import { AiSdkParticipant } from './ai-sdk-participant.ts'
import { ConversableParticipant } from './conversable-participant.ts'

/** A member of a team, in each form in which a team accepts it. */
export type TeamMember = Participant | ConversableAgent | AiSdkAgent

/** Wraps a conversable agent and an AI SDK agent in `asChatAgent`. Another value is returned unchanged and unchecked. */
export function asParticipant(member: unknown): Participant {
  const { run, initiateChat, stream } = Object(member)
  const isWrapped = run === undefined && (initiateChat !== undefined || stream !== undefined)
  return isWrapped ? asChatAgent(member as ConversableAgent) : (member as Participant)
}

/**
 * Turns a 0.2-style agent into a team member: an AssistantAgent, a UserProxyAgent with or without an executor, or a custom
 * ConversableAgent. Its conversation with the team is separate from its other conversations.
 *
 * - It receives the other members' messages. If there are several other members, its model reads the name above each text, as
 *   `name:` on a separate line, because models do not see names otherwise.
 * - It replies as in a chat: person, tools, code, model, in that order, with the same limits and hooks. Its reply is a
 *   TextMessage, or a StopMessage if it ends the conversation: by its last line, or because the agent or its person ends it. If a
 *   reply contains code that has not run, it is a TextMessage, and the agent that runs the code ends the conversation.
 * - It calls its own tools in its turn. Calls to other tools become a ToolCallSummaryMessage without results, and a 0.2-style
 *   agent that has these tools replies with the results.
 * - The team's events include its model's text, its code's output, and its questions to a person.
 */
export function asChatAgent(agent: ConversableAgent): ChatAgent
/**
 * Turns an AI SDK agent, such as a `ToolLoopAgent`, into a team member. It receives the other members' messages, with their names
 * as above, and answers with its last text. Its own text, reasoning and tool calls are kept in the agent, in the format that its
 * provider requires. The team's events include its text and its tool calls.
 *
 * @throws FencedError `INVALID_OPTIONS` for an agent that has neither an `id` nor a `name`.
 */
export function asChatAgent(agent: AiSdkAgent, options?: AiSdkParticipantOptions): ChatAgent
export function asChatAgent(
  agent: ConversableAgent | AiSdkAgent,
  options: AiSdkParticipantOptions = {},
): ChatAgent {
  if (!(agent instanceof ConversableAgent) && 'stream' in agent) return new AiSdkParticipant(agent, options)
  // It has its own name and limits.
  knownOptions<object>(options, {}, 'asChatAgent() of a ConversableAgent')
  return new ConversableParticipant(agent as ConversableAgent)
}

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
