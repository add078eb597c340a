import { asksForApproval } from '@fenced/core/internal'
import type { ToolResultPart } from 'ai'
import type { ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import type { AgentParts, CodeExecution } from '../agent/agent-parts.ts'
import { AskedHumanInput } from '../human-input/asked-human-input.ts'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { Message, MessageInput } from '../message/message.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { decideByMessage, findCode } from './generate-code-execution-reply.ts'
import { ownReply, type ReplyTurn } from './own-reply.ts'
import { decide, questionToPerson, type TurnState } from './question-to-person.ts'

/** The first reply function of an agent: ends the conversation, prompts a person, or continues. */
export const checkTerminationAndHumanReply: ReplyFunction = ownReply(async (turn) => {
  const { agent, sender, messages, chat, conversation } = turn
  const partner = sender?.name ?? 'the sender'
  const state = await turnStateOf(turn, conversation)
  const { isTermination, runsCodeFirst, maxConsecutiveAutoReply } = state
  const restart = (outcome: ReplyOutcome): ReplyOutcome => {
    conversation.autoReplies = 0
    return outcome
  }
  const proceed = (): ReplyOutcome => {
    conversation.autoReplies++
    return isTermination ? { endsChat: ended(partner) } : undefined
  }
  const decision = decide(state)
  if (decision === 'stop')
    return restart({ reply: null, reason: isTermination ? ended(partner) : limitReached(agent) })
  if (decision === 'go-on') {
    if (state.mode !== 'never') await chat.emit({ type: 'auto-reply', agent: agent.name })
    return proceed()
  }
  const request = questionToPerson(decision, state, turn)
  const { humanInput, codeExecution } = agent
  const text = await chat.ask(request, humanInput)
  if (text === 'exit')
    return restart({ reply: null, reason: `The person behind ${agent.name} asked to end it.` })
  if (text !== '') return restart({ reply: humanReply(text, messages.at(-1)) })
  if (codeExecution !== undefined && decidesAboutCode(request, { humanInput, codeExecution }))
    decideByMessage(messages, findCode(messages, codeExecution, chat)?.blocks ?? [])
  await chat.emit({ type: 'no-human-input', agent: agent.name })
  if (isTermination && !runsCodeFirst) return restart({ reply: null, reason: ended(partner) })
  if (maxConsecutiveAutoReply === 0 && !isTermination) return restart({ reply: '' })
  await chat.emit({ type: 'auto-reply', agent: agent.name })
  return proceed()
})

/** Whether an empty answer is the decision about the code that it runs: where `ask` gave it, and where no other question about code follows. */
function decidesAboutCode(request: HumanInputRequest, { humanInput, codeExecution }: CodeRunner): boolean {
  return (
    !asksForApproval(codeExecution.asking) ||
    (humanInput instanceof AskedHumanInput && humanInput.decided(request))
  )
}

interface CodeRunner extends Pick<AgentParts, 'humanInput'> {
  readonly codeExecution: CodeExecution
}

interface BeforeReply extends Pick<ReplyTurn, 'agent' | 'sender' | 'messages'> {
  /** Absent if the caller only wants to know the outcome. */
  readonly chat?: ReplyTurn['chat']
}

/** Whether a person would be asked. */
export async function asksPerson(
  before: BeforeReply,
  counts: { readonly autoReplies: number },
): Promise<boolean> {
  return typeof decide(await turnStateOf(before, counts)) !== 'string'
}

async function turnStateOf(
  { agent, sender, messages, chat }: BeforeReply,
  { autoReplies }: { readonly autoReplies: number },
): Promise<TurnState> {
  const last = messages.at(-1)
  const isTermination = last !== undefined && (await agent.isTermination(last))
  return {
    ...{ mode: agent.settings.humanInputMode, isTermination, autoReplies },
    runsCodeFirst: isTermination && holdsCode(agent, last, chat),
    maxConsecutiveAutoReply: agent.conversations.maxConsecutiveAutoReply(sender?.agent),
  }
}

function holdsCode({ codeExecution }: AgentParts, message: Message, chat?: ReplyTurn['chat']): boolean {
  if (codeExecution === undefined || !codeExecution.runBeforeTermination) return false
  const { executor, lastNMessages } = codeExecution
  if (lastNMessages === 0) return false
  return (findCode([message], { executor, lastNMessages: 1 }, chat)?.blocks ?? []).length > 0
}

function ended(partner: string): string {
  return `${partner} sent a message that ends it.`
}

function limitReached({ name }: AgentParts): string {
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
