import { extractCodeBlocks } from '@fenced/core'
import { languageId, languages } from '@fenced/core/internal'
import { internalsOf } from '../agent/agent-internals.ts'
import type { ConversableAgent } from '../agent/conversable-agent.ts'
import { ChatContext } from '../chat/chat-context.ts'
import { type AgentMessage, createMessage } from '../message/agent-message.ts'
import type { ChatMessage, ToolCall, ToolResponse } from '../message/chat-message.ts'
import { spokenMessage } from '../message/normalize-message.ts'
import { endsWithTermination } from '../message/termination.ts'
import { produceReply } from '../reply/produce-reply.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { withNames } from './heard-from-team.ts'

/** Who waits for a reply, and who hears of what happens on the way to it. */
export interface TeamReplyOptions {
  /** Stands for the team as the agent's partner. */
  readonly team: ConversableAgent
  readonly context: RunContext
}

/** Lets an agent reply to what it has heard. Calls of tools that it can make itself belong to its reply. */
export async function replyToTeam(
  agent: ConversableAgent,
  { team, context }: TeamReplyOptions,
): Promise<AgentMessage> {
  const { messages } = internalsOf(agent).conversations.with(team)
  const source = agent.name
  const chat = new ChatContext(context)
  let ownCalls: readonly ToolCall[] = []
  for (;;) {
    const asked = messages.at(-1)
    const reply = await produceReply(agent, {
      messages: withNames(messages),
      sender: team,
      chat,
    })
    context.signal.throwIfAborted()
    const usage = usageOf(chat)
    if (reply.message === null)
      return createMessage({ type: 'StopMessage', source, content: reply.endsChat, ...usage })

    const said = await hooked(reply.message, { agent, team })
    messages.push(...reply.innerMessages, said)
    const { content, toolCalls = [], toolResponses = [], pictures } = said
    if (toolCalls.length > 0) {
      await context.emit({ type: 'tool-calls', agent: source, content, toolCalls })
      if (!canCall(agent, toolCalls)) return { ...toolSummary(source, { content, toolCalls }), ...usage }
      ownCalls = toolCalls
    } else if (toolResponses.length > 0) {
      const results = toolResponses
      await context.emit({ type: 'tool-results', agent: source, results })
      const heardCalls = asked?.toolCalls ?? []
      if (heardCalls !== ownCalls)
        return { ...toolSummary(source, { content, toolCalls: heardCalls, results }), ...usage }
    } else if (reply.endsChat !== undefined || endsTeam(content)) {
      return createMessage({ type: 'StopMessage', source, content, ...usage })
    } else {
      const shown = pictures === undefined ? {} : { pictures }
      return createMessage({ type: 'TextMessage', source, content, ...shown, ...usage })
    }
    context.signal.throwIfAborted()
  }
}

async function hooked(
  message: ChatMessage,
  { agent, team }: { readonly agent: ConversableAgent; readonly team: ConversableAgent },
): Promise<ChatMessage> {
  const processed = await internalsOf(agent).hooks.beforeSend(message, { sender: agent, recipient: team })
  return processed === message ? message : spokenMessage(processed, agent.name)
}

/** Where it can make none of the calls, they are for another one. */
function canCall(agent: ConversableAgent, calls: readonly ToolCall[]): boolean {
  const { callableTools } = internalsOf(agent)
  return calls.some(({ name }) => callableTools.has(name))
}

function toolSummary(
  source: string,
  {
    content,
    toolCalls,
    results = [],
  }: {
    readonly content: string
    readonly toolCalls: readonly ToolCall[]
    readonly results?: readonly ToolResponse[]
  },
): AgentMessage {
  const calls = toolCalls.map(({ name, input }) => `${name}(${JSON.stringify(input) ?? ''})`).join('\n')
  return createMessage({
    type: 'ToolCallSummaryMessage',
    source,
    content: content === '' ? calls : content,
    toolCalls,
    results,
  })
}

function usageOf({ usage }: ChatContext): Pick<AgentMessage, 'usage'> {
  const summary = usage.summary()
  return Object.keys(summary.byModel).length === 0 ? {} : { usage: summary }
}

/**
 * Whether what an agent says is its last word. Code is run before that: who runs it hears that it is the end, and is the
 * one to end it.
 */
export function endsTeam(content: string): boolean {
  return endsWithTermination({ role: 'assistant', content }) && !holdsProgram(content)
}

function holdsProgram(content: string): boolean {
  return extractCodeBlocks(content).some(({ language }) => {
    const id = languageId(language)
    return languages.some((row) => row.id === id && row.kind === 'run')
  })
}
