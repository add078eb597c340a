import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { partsOf } from '../agent/agent-parts.ts'
import type { Conversation } from '../agent/conversations.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import { type Message, textOf } from '../message/message.ts'
import { messageSchema } from '../message/sent-and-received.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import {
  type AgentState,
  type ChatAgent,
  type OnMessagesOptions,
  type RunTaskOptions,
  readState,
} from '../task/chat-agent.ts'
import { isAnswering, RunLock } from '../task/run-lock.ts'
import { respond, runAgentTask, turnOptions } from '../task/run-task.ts'
import {
  deniesQuestions,
  type LoadStateOptions,
  recordDenials,
  type SavedQuestions,
  savedFields,
  savedQuestionsShape,
} from '../task/saved-questions.ts'
import { checkAskedAgain, deny, ledgerOf } from './conversable-questions.ts'
import { fromTeamMessage, replyToTeam } from './reply-to-team.ts'

const stateSchema = z.strictObject({
  type: z.literal('ConversableAgent'),
  version: z.literal(3),
  messages: z.array(messageSchema),
  autoReplies: z.int().min(0),
  ...savedQuestionsShape,
})

/** See `asChatAgent`. */
export class ConversableParticipant implements ChatAgent {
  readonly agent: ConversableAgent
  /** Whom the agent talks to: its reply functions and counters want a partner. */
  readonly #team = new ConversableAgent({ name: 'team', humanInputMode: 'never' })
  readonly #answering = new RunLock(() => isAnswering(this.name, inOneTeam))
  #saved: SavedQuestions | undefined

  constructor(agent: ConversableAgent) {
    // What is no agent is refused here, and not in the first turn.
    partsOf(agent)
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

  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent> {
    const { signal, programs } = turnOptions(options)
    return respond(
      this.name,
      async (context) => {
        using _busy = this.#answering.take()
        return { message: await this.#answer(messages, this.#answering.following(context), programs) }
      },
      signal,
    )
  }

  /** Forgets the conversation with the team. */
  async reset(): Promise<void> {
    using _busy = this.#answering.take()
    const conversation = this.#conversation()
    conversation.clear()
    conversation.autoReplies = 0
    this.#saved = undefined
  }

  /** Also while a question is open: it is in the state. */
  async saveState(): Promise<AgentState> {
    using _busy = this.#answering.takeForReading()
    const { messages, autoReplies } = this.#conversation()
    const saved = savedFields(this.#answering.open ?? this.#saved)
    return { type: 'ConversableAgent', version: 3, messages: [...messages], autoReplies, ...saved }
  }

  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.#answering.take()
    const denies = deniesQuestions(options)
    const read = readState(stateSchema, state, 'ConversableAgent')
    const { messages, autoReplies, questions = [], areDenied = denies } = read
    const again = { agent: this.agent, sender: this.#team, messages, autoReplies }
    for (const question of areDenied ? [] : questions) await checkAskedAgain(question, again)
    for (const question of areDenied ? questions : [])
      await recordDenials(ledgerOf(this.agent, question), [question])
    const conversation = this.#conversation()
    conversation.clear()
    conversation.messages.push(...messages)
    conversation.autoReplies = autoReplies
    this.#saved = questions.length === 0 ? undefined : { questions, areDenied }
  }

  async #answer(
    messages: readonly Message[],
    context: RunContext,
    programs: TeamPrograms | undefined,
  ): Promise<Message> {
    const saved = this.#saved
    this.#saved = undefined
    const conversation = this.#conversation()
    const denial = saved?.areDenied === true ? deny(this.agent, conversation.messages, saved) : undefined
    for (const message of messages)
      conversation.messages.push(fromTeamMessage(message, this.agent, conversation))
    if (denial !== undefined) {
      const { message, isReply } = denial
      const notice = { code: 'denied', message: textOf(message) }
      await context.emit({ type: 'notice', agent: this.name, notice })
      if (isReply) return message
    }
    const questions = (saved?.questions ?? []).map(({ request }) => request)
    const asked = questions.filter((request) => 'question' in request)
    const asking = { team: this.#team, context, saved: asked, programs }
    return await replyToTeam(this.agent, asking).catch((error: unknown) => {
      this.#saved = this.#answering.unanswered(saved, context)
      throw error
    })
  }

  /** The schema of the agent's state: a loaded team makes it a member automatically. */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return this.agent.toConfig(options)
  }

  #conversation(): Conversation {
    return partsOf(this.agent).conversations.with(this.#team)
  }
}

/** An agent of a team has one conversation with it. */
export const inOneTeam =
  'Wait for it, or use a separate `asChatAgent` in each team that runs at the same time.'
