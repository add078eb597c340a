import type { ComponentConfig, DecisionLedger, ToConfigOptions } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { partsOf } from '../agent/agent-parts.ts'
import type { Conversation } from '../agent/conversations.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { textOf } from '../message/message.ts'
import { messageSchema } from '../message/sent-and-received.ts'
import type { OpenQuestion } from '../open-question.ts'
import { AnsweringAgent, type Turn } from '../task/answering-agent.ts'
import type { Answer } from '../task/within-run.ts'
import { asksAgain, deny, ledgerOf } from './conversable-questions.ts'
import { fromTeamMessage, replyToTeam } from './reply-to-team.ts'

const memorySchema = z.strictObject({
  messages: z.array(messageSchema),
  innerMessages: z.array(messageSchema),
  autoReplies: z.int().min(0),
})

type Memory = z.output<typeof memorySchema>

/** See `asChatAgent`. */
export class ConversableParticipant extends AnsweringAgent<Memory> {
  readonly agent: ConversableAgent
  /** Whom the agent talks to: its reply functions and counters want a partner. */
  readonly #team = new ConversableAgent({ name: 'team', humanInputMode: 'never' })
  /** Its count when the turn began, until that ends. */
  #autoRepliesBefore: number | undefined

  constructor(agent: ConversableAgent) {
    super({ type: 'ConversableAgent', version: 4, memory: memorySchema }, inOneTeam)
    // What is no agent is refused here, and not in the first turn.
    partsOf(agent)
    this.agent = agent
    this.#conversation().isOfTeam = true
  }

  get name(): string {
    return this.agent.name
  }

  get description(): string {
    return this.agent.description
  }

  protected get ledgers(): readonly DecisionLedger[] {
    return partsOf(this.agent).ledgers
  }

  protected ledgerOf(question: OpenQuestion): DecisionLedger {
    return ledgerOf(this.agent, question)
  }

  protected memory(): Memory {
    const { messages, innerMessages, autoReplies } = this.#conversation()
    return { messages, innerMessages, autoReplies: this.#autoRepliesBefore ?? autoReplies }
  }

  protected remember(memory: Memory | undefined): void {
    const { messages = [], innerMessages = [], autoReplies = 0 } = memory ?? {}
    const conversation = this.#conversation()
    conversation.clear()
    conversation.messages.push(...messages)
    conversation.innerMessages.push(...innerMessages)
    conversation.autoReplies = autoReplies
  }

  protected asksAgain(question: OpenQuestion, memory: Memory): Promise<boolean> {
    return asksAgain(question, { agent: this.agent, sender: this.#team, ...memory })
  }

  protected async answer({ messages, run, saved, programs }: Turn): Promise<Answer> {
    const conversation = this.#conversation()
    const denial = saved?.areDenied === true ? deny(this.agent, conversation.messages, saved) : undefined
    // An unfinished reply does not know them.
    if (messages.length > 0) conversation.innerMessages = []
    for (const message of messages)
      conversation.messages.push(fromTeamMessage(message, this.agent, conversation))
    if (denial !== undefined) {
      const { message, isReply } = denial
      const notice = { code: 'denied', message: textOf(message) }
      await run.emit({ type: 'notice', agent: this.name, notice })
      if (isReply) return { message }
    }
    this.#autoRepliesBefore = conversation.autoReplies
    try {
      const asking = { team: this.#team, context: run, saved, programs }
      return { message: await replyToTeam(this.agent, asking) }
    } finally {
      this.#autoRepliesBefore = undefined
    }
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
