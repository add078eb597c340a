import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { ChatAgent } from '../task/chat-agent.ts'
import type { AiSdkAgent, AiSdkParticipantOptions } from './ai-sdk-agent.ts'
import { AiSdkParticipant } from './ai-sdk-participant.ts'
import { ConversableParticipant } from './conversable-participant.ts'

/**
 * Turns an agent of the 0.2 family into a member of a team: an AssistantAgent, a UserProxyAgent with or without an executor, or
 * a custom ConversableAgent. It has a separate conversation with the team, apart from its other conversations.
 *
 * - It receives the messages of the others. With several other members, the name of the sender precedes each text, as `name:` on
 *   a separate line, because models do not see names otherwise.
 * - It replies as in a chat: person, tools, code, model, in that order, with the same limits and hooks. Its reply is a
 *   TextMessage, or a StopMessage if it ends the conversation: by its last line, or because the agent or its person ends it. A
 *   reply with code that has not run is a TextMessage, and the agent that runs the code ends the conversation.
 * - It calls its own tools in its turn. Calls of other tools are a ToolCallSummaryMessage without results; an agent of the 0.2
 *   family that has these tools replies with the results.
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
