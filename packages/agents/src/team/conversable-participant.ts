import { type ComponentConfig, extractCodeBlocks, FencedError, type ToConfigOptions } from '@fenced/core'
import { languageId, languages, type Running } from '@fenced/core/internal'
import type { AssistantContent } from 'ai'
import { z } from 'zod'
import type { Agent } from '../agent/agent.ts'
import { internalsOf } from '../agent/agent-internals.ts'
import { ConversableAgent } from '../agent/conversable-agent.ts'
import type { Conversation } from '../agent/conversations.ts'
import { ChatContext } from '../chat/chat-context.ts'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import {
  contentWith,
  createMessage,
  endsWithTermination,
  type Message,
  type MessageMetadata,
  madePictures,
  textOf,
} from '../message/message.ts'
import { messageSchema, toReceived, userMessage, withNames } from '../message/sent-and-received.ts'
import {
  type ToolCall,
  toolCallPart,
  toolCallsOf,
  toolResponsesOf,
  toolResultsOf,
} from '../message/tool-parts.ts'
import { produceReply } from '../reply/produce-reply.ts'
import { OneAtATime } from '../running/one-at-a-time.ts'
import type { RunContext } from '../running/run-with-events.ts'
import {
  type AgentState,
  type ChatAgent,
  type OnMessagesOptions,
  type RunTaskOptions,
  readState,
} from '../task/chat-agent.ts'
import { respond, runAgentTask } from '../task/run-task.ts'

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
          conversation.messages.push(fromTeamMessage(message, this.agent, conversation))
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

/** Who waits for a reply, and who hears of what happens on the way to it. */
interface TeamReplyOptions {
  /** Stands for the team as the agent's partner. */
  readonly team: Agent
  readonly context: RunContext
}

/** Lets an agent reply to what it has heard. Calls of tools that it can make itself belong to its reply. */
async function replyToTeam(agent: Agent, { team, context }: TeamReplyOptions): Promise<Message> {
  const { conversations, hooks } = internalsOf(agent)
  const { messages } = conversations.with(team)
  const source = agent.name
  const chat = new ChatContext(context)
  let ownCalls = ''
  const said = (content: AssistantContent, metadata?: MessageMetadata) =>
    createMessage({ role: 'assistant', source, content, ...metadataOf(chat, metadata) })
  for (;;) {
    const asked = messages.at(-1)
    const reply = await produceReply(agent, {
      messages: withNames(messages),
      sender: team,
      chat,
    })
    context.signal.throwIfAborted()
    if (reply.message === null) return said(reply.endsChat, { stop: true })

    const sent = await hooks.beforeSend(reply.message, { sender: agent, recipient: team })
    messages.push(...reply.innerMessages, sent)
    const text = textOf(sent)
    const toolCalls = toolCallsOf(sent)
    if (toolCalls.length > 0) {
      await context.emit({ type: 'tool-calls', agent: source, content: text, toolCalls })
      if (!canCall(agent, toolCalls)) return said(callsContent(text, toolCalls))
      ownCalls = sent.id
    } else if (sent.role === 'tool') {
      await context.emit({ type: 'tool-results', agent: source, results: toolResponsesOf(sent) })
      if (asked?.id !== ownCalls) return { ...sent, ...metadataOf(chat) }
    } else if (reply.endsChat !== undefined || endsTeam(text)) {
      return said(text, { stop: true })
    } else {
      return said(contentWith(text, madePictures(sent)))
    }
    context.signal.throwIfAborted()
  }
}

/** Where it can make none of the calls, they are for another one. */
function canCall(agent: Agent, calls: readonly ToolCall[]): boolean {
  const { executableTools } = internalsOf(agent)
  return calls.some(({ name }) => executableTools.has(name))
}

/** Calls for another one of the team, also as a text for all who cannot make them. */
function callsContent(text: string, toolCalls: readonly ToolCall[]): AssistantContent {
  const calls = toolCalls.map(({ name, input }) => `${name}(${JSON.stringify(input) ?? ''})`).join('\n')
  return [{ type: 'text', text: text === '' ? calls : text }, ...toolCalls.map(toolCallPart)]
}

function metadataOf({ usage }: ChatContext, metadata: MessageMetadata = {}): Pick<Message, 'metadata'> {
  const summary = usage.summary()
  const all = { ...metadata, ...(Object.keys(summary.byModel).length === 0 ? {} : { usage: summary }) }
  return Object.keys(all).length === 0 ? {} : { metadata: all }
}

/**
 * Whether what an agent says is its last word. Code is run before that: who runs it hears that it is the end, and is the
 * one to end it.
 */
export function endsTeam(content: string): boolean {
  return endsWithTermination(content) && !holdsProgram(content)
}

function holdsProgram(content: string): boolean {
  return extractCodeBlocks(content).some(({ language }) => {
    const id = languageId(language)
    return languages.some((row) => row.id === id && row.kind === 'run')
  })
}

/** A message of a team, as an agent of the 0.2 family keeps it. */
function fromTeamMessage(message: Message, agent: Agent, { messages }: Conversation): Message {
  const { executableTools } = internalsOf(agent)
  if (toolCallsOf(message).some(({ name }) => executableTools.has(name))) return toReceived(message)
  const last = messages.at(-1)
  const own = new Set(last === undefined ? [] : toolCallsOf(last).map(({ id }) => id))
  const results = toolResultsOf(message)
  const areForAgent = results.length > 0 && results.every(({ toolCallId }) => own.has(toolCallId))
  return areForAgent ? message : userMessage(message)
}
