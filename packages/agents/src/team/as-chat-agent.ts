import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { ChatAgent } from '../task/chat-agent.ts'
import type { AiSdkAgent, AiSdkParticipantOptions } from './ai-sdk-agent.ts'
import { AiSdkParticipant } from './ai-sdk-participant.ts'
import { ConversableParticipant } from './conversable-participant.ts'

/**
 * An agent of the 0.2 family that sits in a team: an AssistantAgent, a UserProxyAgent with or without an executor, or a
 * ConversableAgent of your own. It gets a conversation of its own with the team; what it has with others stays apart.
 *
 * - It hears what the others say. As soon as these are more than one, the name of the speaker stands above each text, as
 *   `name:` on a line of its own, because models do not see names otherwise.
 * - It replies as in a chat: person, tools, code, model, in that order, with the same limits and hooks. Its reply is a
 *   TextMessage; a StopMessage where it ends the conversation, by its last line, or because it or its person wants no more.
 *   With code in it that is still to be run, it is a TextMessage, and the one who runs the code ends it.
 * - Tools that it can call itself it calls in its turn. Calls of tools that it only knows of are a ToolCallSummaryMessage
 *   without results; another agent of the 0.2 family in the team that can call them answers with one that has them.
 * - Its model's words, its code's output, and its questions to a person are events of the team.
 */
export function asChatAgent(agent: ConversableAgent): ChatAgent
/**
 * An agent of the AI SDK that sits in a team, such as a `ToolLoopAgent`. It hears what the others say, with their names as
 * above, and answers with its last text; what it said, thought and called stays its own, as its provider wants it back. Its
 * words and its calls of tools are events of the team.
 *
 * @throws FencedError `INVALID_OPTIONS` for an agent without `id`, unless it is given a `name`.
 */
export function asChatAgent(agent: AiSdkAgent, options?: AiSdkParticipantOptions): ChatAgent
export function asChatAgent(
  agent: ConversableAgent | AiSdkAgent,
  options: AiSdkParticipantOptions = {},
): ChatAgent {
  return agent instanceof ConversableAgent || !('stream' in agent)
    ? new ConversableParticipant(agent as ConversableAgent)
    : new AiSdkParticipant(agent, options)
}
