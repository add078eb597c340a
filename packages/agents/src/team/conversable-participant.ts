import { type ComponentConfig, FencedError, type Running, type ToConfigOptions } from '@fenced/core'
import { stateOf } from '../agent/agent-state.ts'
import { ConversableAgent } from '../agent/conversable-agent.ts'
import type { Conversation } from '../agent/conversation.ts'
import { runWithEvents } from '../running/run-with-events.ts'
import type { AgentEvent, AgentMessage } from '../task/agent-message.ts'
import type {
  AgentState,
  ChatAgent,
  OnMessagesOptions,
  Response,
  ResponseItem,
  RunTaskOptions,
  TaskItem,
  TaskResult,
} from '../task/chat-agent.ts'
import { isPiece, itemLength, runAgentTask } from '../task/run-task.ts'
import { conversationState, readConversationState } from './conversation-state.ts'
import { heardFromTeam } from './heard-from-team.ts'
import { replyToTeam } from './reply-to-team.ts'

/** See `asChatAgent`. */
export class ConversableParticipant implements ChatAgent {
  readonly agent: ConversableAgent
  /** Whom the agent talks to: its reply functions and counters want a partner. */
  readonly #team = new ConversableAgent({ name: 'team', humanInputMode: 'never' })
  #isAnswering = false

  constructor(agent: ConversableAgent) {
    this.agent = agent
  }

  get name(): string {
    return this.agent.name
  }

  get description(): string {
    return this.agent.description
  }

  run(options?: RunTaskOptions): Running<TaskResult, TaskItem> {
    return runAgentTask(this, options)
  }

  onMessages(
    messages: readonly AgentMessage[],
    { signal }: OnMessagesOptions = {},
  ): Running<Response, ResponseItem> {
    return runWithEvents<AgentMessage | AgentEvent | Response, Response>({
      lengthOf: (item) => (item.type === 'Response' ? item.message.content.length : itemLength(item)),
      signal,
      run: async (context) => {
        using _busy = this.#take()
        const conversation = this.#conversation()
        for (const message of messages)
          conversation.messages.push(heardFromTeam(message, this.agent, conversation))
        const innerMessages: AgentEvent[] = []
        const message = await replyToTeam(this.agent, {
          team: this.#team,
          context: {
            ...context,
            emit: (event) => {
              if (!isPiece(event)) innerMessages.push(event)
              return context.emit(event)
            },
          },
        })
        const response: Response = { type: 'Response', message, innerMessages }
        await context.emit(response)
        return response
      },
    })
  }

  /** Forgets the conversation with the team. */
  async reset(): Promise<void> {
    const conversation = this.#conversation()
    conversation.clear()
    conversation.autoReplies = 0
  }

  async saveState(): Promise<AgentState> {
    return conversationState(this.#conversation())
  }

  async loadState(state: AgentState): Promise<void> {
    const { messages, autoReplies } = readConversationState(state)
    const conversation = this.#conversation()
    conversation.clear()
    conversation.messages.push(...messages)
    conversation.autoReplies = autoReplies
  }

  /** That of the agent: a team that is loaded lets it take part by itself. */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return this.agent.toConfig(options)
  }

  #conversation(): Conversation {
    return stateOf(this.agent).conversations.with(this.#team)
  }

  #take(): Disposable {
    if (this.#isAnswering) {
      throw new FencedError({
        code: 'AGENT_IS_ANSWERING',
        message: `${this.name} is answering already. Wait for it; in each team that works at the same time use another \`asChatAgent\`.`,
      })
    }
    this.#isAnswering = true
    return {
      [Symbol.dispose]: () => {
        this.#isAnswering = false
      },
    }
  }
}
