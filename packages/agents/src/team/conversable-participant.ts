import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { z } from 'zod'
import { internalsOf } from '../agent/agent-internals.ts'
import { ConversableAgent } from '../agent/conversable-agent.ts'
import type { Conversation } from '../agent/conversations.ts'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import { messageSchema } from '../message/spoken-and-heard.ts'
import { OneAtATime } from '../running/one-at-a-time.ts'
import type { AgentState, ChatAgent, OnMessagesOptions, RunTaskOptions } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'
import { respond, runAgentTask } from '../task/run-task.ts'
import { heardFromTeam } from './heard-from-team.ts'
import { replyToTeam } from './reply-to-team.ts'

const stateSchema = z.strictObject({
  type: z.literal('ConversableAgent'),
  version: z.literal(2),
  messages: z.array(messageSchema),
  autoReplies: z.int().min(0),
})

/** See `asChatAgent`. */
export class ConversableParticipant implements ChatAgent {
  readonly agent: ConversableAgent
  /** Whom the agent talks to: its reply functions and counters want a partner. */
  readonly #team = new ConversableAgent({ name: 'team', humanInputMode: 'never' })
  readonly #answering = new OneAtATime(() => isAnswering(this.name))

  constructor(agent: ConversableAgent) {
    // What is no agent is refused here, and not in the first turn.
    internalsOf(agent)
    this.agent = agent
  }

  get name(): string {
    return this.agent.name
  }

  get description(): string {
    return this.agent.description
  }

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    return runAgentTask(this, task)
  }

  onMessages(
    messages: readonly Message[],
    { signal }: OnMessagesOptions = {},
  ): Running<Response, AgentEvent> {
    return respond(
      this.name,
      async (context) => {
        using _busy = this.#answering.take()
        const conversation = this.#conversation()
        for (const message of messages)
          conversation.messages.push(heardFromTeam(message, this.agent, conversation))
        return { message: await replyToTeam(this.agent, { team: this.#team, context }) }
      },
      signal,
    )
  }

  /** Forgets the conversation with the team. */
  async reset(): Promise<void> {
    const conversation = this.#conversation()
    conversation.clear()
    conversation.autoReplies = 0
  }

  async saveState(): Promise<AgentState> {
    const { messages, autoReplies } = this.#conversation()
    return { type: 'ConversableAgent', version: 2, messages: [...messages], autoReplies }
  }

  async loadState(state: AgentState): Promise<void> {
    const { messages, autoReplies } = readState(stateSchema, state, 'ConversableAgent')
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
    return internalsOf(this.agent).conversations.with(this.#team)
  }
}

/** An agent of a team has one conversation with it. */
export function isAnswering(name: string): FencedError {
  return new FencedError({
    code: 'AGENT_IS_ANSWERING',
    message: `${name} is answering already. Wait for it; in each team that works at the same time use another \`asChatAgent\`.`,
  })
}
