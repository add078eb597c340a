import { asksForApproval } from '@fenced/core/internal'
import type { ToolResultPart } from 'ai'
import type { Agent, ReplyContext, ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import { type AgentInternals, internalsOf } from '../agent/agent-internals.ts'
import type { ReplyChat } from '../agent/chat-context.ts'
import { AskedHumanInput } from '../human-input/asked-human-input.ts'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { Message, MessageInput } from '../message/message.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { countedConversation } from './counted-conversation.ts'
import { decideByMessage, findCode } from './generate-code-execution-reply.ts'
import { decide, questionToPerson, type TurnState } from './question-to-person.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** The first reply function of an agent: ends the conversation, prompts a person, or continues. */
export const checkTerminationAndHumanReply: ReplyFunction = stopsByItself(
  async ({ agent, sender, messages, chat }) => {
    const turn = await turnOf({ agent, sender, messages, chat })
    const partner = sender?.name ?? 'the sender'
    const decision = decide(turn)
    if (decision === 'stop') return turn.stop(turn.isTermination ? ended(partner) : limitReached(agent))
    if (decision === 'go-on') {
      if (turn.mode !== 'never') await chat.emit({ type: 'auto-reply', agent: agent.name })
      return turn.continueWith(partner)
    }
    const request = questionToPerson(decision, turn, { agent, sender, messages, chat })
    const { humanInput, codeExecution } = internalsOf(agent)
    const text = await chat.ask(request, humanInput)
    if (text === 'exit') return turn.stop(`The person behind ${agent.name} asked to end it.`)
    if (text !== '') return turn.reply(humanReply(text, messages.at(-1)))
    if (codeExecution !== undefined && decidesAboutCode(request, { humanInput, codeExecution }))
      decideByMessage(messages, findCode(messages, codeExecution, chat)?.blocks ?? [])
    await chat.emit({ type: 'no-human-input', agent: agent.name })
    if (turn.isTermination && !turn.runsCodeFirst) return turn.stop(ended(partner))
    if (turn.maxConsecutiveAutoReply === 0 && !turn.isTermination) return turn.reply('')
    await chat.emit({ type: 'auto-reply', agent: agent.name })
    return turn.continueWith(partner)
  },
)

interface Deciding extends Pick<AgentInternals, 'humanInput'> {
  readonly codeExecution: NonNullable<AgentInternals['codeExecution']>
}

/** Whether an empty answer is the decision about the code that it runs: where `ask` gave it, and where no other question about code follows. */
function decidesAboutCode(request: HumanInputRequest, { humanInput, codeExecution }: Deciding): boolean {
  return (
    !asksForApproval(codeExecution.asking) ||
    (humanInput instanceof AskedHumanInput && humanInput.decided(request))
  )
}

interface Turn extends TurnState {
  stop(reason: string): ReplyOutcome
  reply(message: MessageInput): ReplyOutcome
  continueWith(partner: string): ReplyOutcome
}

interface BeforeReply extends Pick<ReplyContext, 'sender' | 'messages'> {
  readonly autoReplies: number
  /** Absent if the caller only wants to know the outcome. */
  readonly chat?: ReplyChat
}

export async function asksPerson(agent: Agent, before: BeforeReply): Promise<boolean> {
  return typeof decide(await turnStateOf(agent, before)) !== 'string'
}

async function turnStateOf(
  agent: Agent,
  { sender, messages, autoReplies, chat }: BeforeReply,
): Promise<TurnState> {
  const state = internalsOf(agent)
  const last = messages.at(-1)
  const isTermination = last !== undefined && (await state.isTermination(last))
  return {
    mode: state.settings.humanInputMode,
    isTermination,
    runsCodeFirst: isTermination && holdsCode(state, last, chat),
    autoReplies,
    maxConsecutiveAutoReply: state.conversations.maxConsecutiveAutoReply(sender),
  }
}

async function turnOf(context: Omit<ReplyContext, 'config'>): Promise<Turn> {
  const { agent, ...before } = context
  const conversation = countedConversation(context)
  const { autoReplies } = conversation
  const turnState = await turnStateOf(agent, { ...before, autoReplies })
  const restart = (outcome: ReplyOutcome): ReplyOutcome => {
    conversation.autoReplies = 0
    return outcome
  }
  return {
    ...turnState,
    stop: (reason) => restart({ reply: null, reason }),
    reply: (message) => restart({ reply: message }),
    continueWith: (partner) => {
      conversation.autoReplies++
      return turnState.isTermination ? { endsChat: ended(partner) } : undefined
    },
  }
}

function holdsCode({ codeExecution }: AgentInternals, message: Message, chat?: ReplyChat): boolean {
  if (codeExecution === undefined || !codeExecution.runBeforeTermination) return false
  const { executor, lastNMessages } = codeExecution
  if (lastNMessages === 0) return false
  return (findCode([message], { executor, lastNMessages: 1 }, chat)?.blocks ?? []).length > 0
}

function ended(partner: string): string {
  return `${partner} sent a message that ends it.`
}

function limitReached({ name }: Agent): string {
  return `${name} reached its limit of automatic replies.`
}

/** A person's text, also as the answer to calls that are then not made. */
function humanReply(text: string, last: Message | undefined): MessageInput {
  const origin = 'person'
  const calls = last === undefined ? [] : toolCallsOf(last)
  if (calls.length === 0) return { origin, content: text }
  const content = calls.map(
    ({ id: toolCallId, name: toolName }, index): ToolResultPart => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'execution-denied', ...(index === 0 ? { reason: text } : {}) },
    }),
  )
  return { origin, content }
}
