import type { ComponentConfig, DecisionLedger, ToConfigOptions } from '@fenced/core'
import { asksForApproval, denialText } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { Agent } from '../agent/agent.ts'
import { partsOf } from '../agent/agent-parts.ts'
import { ChatContext } from '../agent/chat-context.ts'
import type { Conversation } from '../agent/conversations.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { OpenQuestion } from '../event.ts'
import { type Message, textOf } from '../message/message.ts'
import { messageSchema, toSent } from '../message/sent-and-received.ts'
import { toolCallsOf, toolResultPart } from '../message/tool-parts.ts'
import { asksPerson } from '../reply/check-termination-and-human-reply.ts'
import { deniedOnLoading, type SavedTurn } from '../running/saved-questions.ts'
import { AnsweringAgent, type Turn } from '../task/answering-agent.ts'
import type { Answer } from '../task/within-run.ts'
import { deniedCall } from '../tool/call-tool.ts'
import { fromTeamMessage, openCallsOf, replyToTeam } from './reply-to-team.ts'

const memorySchema = z.lazy(() =>
  z.strictObject({
    messages: z.array(messageSchema),
    innerMessages: z.array(messageSchema),
    autoReplies: z.int().min(0),
  }),
)

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
      const chat = new ChatContext(run, { saved, programs })
      return { message: await replyToTeam(this.agent, this.#team, chat) }
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

interface AskingAgain {
  readonly agent: Agent
  readonly sender: Agent
  readonly messages: readonly Message[]
  readonly autoReplies: number
}

/** Whether a question would be asked again. */
async function asksAgain(question: OpenQuestion, again: AskingAgain): Promise<boolean> {
  const asker = askerOf(again.agent, question)
  return asker !== undefined && (await wouldAsk(asker, question, again))
}

/** The ledger of the agent that asked a question; of the given agent where that agent no longer takes part. */
function ledgerOf(agent: Agent, question: OpenQuestion): DecisionLedger {
  return partsOf(askerOf(agent, question) ?? agent).ledger
}

function askerOf(agent: Agent, { agent: name }: OpenQuestion): Agent | undefined {
  return name === agent.name ? agent : nestedAgent(agent, name)
}

async function wouldAsk(asker: Agent, { request }: OpenQuestion, again: AskingAgain): Promise<boolean> {
  const { settings, askTool, codeExecution } = partsOf(asker)
  if (request.kind === 'code') return codeExecution !== undefined && asksForApproval(codeExecution.asking)
  if (request.kind === 'tool') return askTool !== undefined
  if (asker === again.agent) {
    const { sender, messages } = again
    return await asksPerson({ agent: partsOf(asker), sender: partsOf(sender), messages }, again)
  }
  // A nested conversation begins again.
  const { humanInputMode } = settings
  return request.kind === 'reply' ? humanInputMode === 'always' : humanInputMode !== 'never'
}

/** Finds an agent in the nested conversations of another agent, by its name. */
function nestedAgent(agent: Agent, name: string, seen = new Set<Agent>()): Agent | undefined {
  if (seen.has(agent)) return undefined
  seen.add(agent)
  const members = partsOf(agent).nestedChats.flatMap(({ sender, recipient }) =>
    [sender, recipient].filter((member) => member !== undefined),
  )
  const found = members.find((member) => member.name === name)
  if (found !== undefined) return found
  for (const member of members) {
    const inner = nestedAgent(member, name, seen)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The reply to a question that was denied when the state was loaded. */
interface Denial {
  readonly message: Message
  /** Whether it is the reply to the team. After the agent's own calls its model replies. */
  readonly isReply: boolean
}

/** Adds the denial to a conversation. It answers the calls of the last message, if any. Code of earlier messages is not run later either. */
function deny(agent: Agent, messages: Message[], { questions }: SavedTurn): Denial {
  const last = messages.at(-1)
  const toolCalls = last === undefined ? [] : toolCallsOf(last)
  const content = toolCalls.map((call) => toolResultPart(deniedCall(call, deniedOnLoading)))
  const said = content.length > 0 ? content : textFor(questions)
  const message = toSent({ origin: 'program', content: said }, agent.name)
  messages.splice(0, messages.length, ...messages.map(withoutPermission), message)
  return { message, isReply: openCallsOf(last, agent.name) === '' }
}

function textFor(questions: readonly OpenQuestion[]): string {
  const isAboutCode = questions.some(({ request }) => request.kind === 'code')
  return isAboutCode ? denialText(deniedOnLoading) : `Nothing was done. ${deniedOnLoading}`
}

/** The same message, whose code is never run. */
function withoutPermission(message: Message): Message {
  return { ...message, metadata: { ...message.metadata, codeDenied: true } }
}
