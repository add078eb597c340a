import { asksForApproval } from '@fenced/core/internal'
import type { ToolResultPart } from 'ai'
import type { ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import type { AgentParts, CodeExecution } from '../agent/agent-parts.ts'
import { AskedHumanInput } from '../human-input/asked-human-input.ts'
import { type EmptyAnswer, type HumanInputRequest, humanInputRequest } from '../human-input/human-input.ts'
import { type Message, type MessageInput, textOf } from '../message/message.ts'
import { callsText, toolCallsOf } from '../message/tool-parts.ts'
import { decideByMessage, findCode } from './generate-code-execution-reply.ts'
import { ownReply, type ReplyTurn } from './own-reply.ts'

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

/** The settings and the state that decide whether a person is prompted before a reply. */
interface TurnState {
  readonly mode: 'always' | 'terminate' | 'never'
  readonly isTermination: boolean
  /** It also holds code that this agent runs before the end. */
  readonly runsCodeFirst: boolean
  readonly autoReplies: number
  readonly maxConsecutiveAutoReply: number
}

/** Next step: a question to a person, or a known outcome. */
type Decision =
  | { readonly ask: 'reply' | 'stop-or-feedback' | 'skip-or-stop' | 'run-and-stop' }
  | 'go-on'
  | 'stop'

/** AutoGen's table of questions to a person. */
function decide(state: TurnState): Decision {
  const { mode, isTermination, runsCodeFirst, autoReplies, maxConsecutiveAutoReply } = state
  const isOver = autoReplies >= maxConsecutiveAutoReply
  if (mode === 'never') return isOver || (isTermination && !runsCodeFirst) ? 'stop' : 'go-on'
  if (isTermination && runsCodeFirst) return { ask: 'run-and-stop' }
  if (mode === 'always') return { ask: 'reply' }
  if (isTermination) return { ask: 'stop-or-feedback' }
  return isOver ? { ask: 'skip-or-stop' } : 'go-on'
}

/** The question that the table asks for, with the messages that it is about. */
function questionToPerson(
  decision: Exclude<Decision, string>,
  state: TurnState,
  turn: ReplyTurn,
): HumanInputRequest {
  const { agent, sender } = turn
  return humanInputRequest({
    kind: decision.ask,
    agent: agent.name,
    prompt: promptFor(decision, { agent: agent.name, partner: sender?.name ?? 'the sender' }),
    onEmpty: onEmpty(decision, state, turn),
    ...askedAbout(turn),
    ...(sender === undefined ? {} : { partner: sender.name }),
  })
}

/** The questions, in AutoGen's words where it has them. */
function promptFor(
  { ask }: Exclude<Decision, string>,
  { agent, partner }: { readonly agent: string; readonly partner: string },
): string {
  switch (ask) {
    case 'reply':
      return `Replying as ${agent}. Provide feedback to ${partner}. Press enter to skip and use auto-reply, or type 'exit' to end the conversation: `
    case 'stop-or-feedback':
      return `Please give feedback to ${partner}. Press enter or type 'exit' to stop the conversation: `
    case 'skip-or-stop':
      return `Please give feedback to ${partner}. Press enter to skip and use auto-reply, or type 'exit' to stop the conversation: `
    case 'run-and-stop':
      return `${partner} wants to end the conversation with code. Press enter to run it and stop, type 'exit' to stop without running it, or give feedback: `
  }
}

function onEmpty(
  { ask }: Exclude<Decision, string>,
  { isTermination, runsCodeFirst, maxConsecutiveAutoReply }: TurnState,
  { agent: { codeExecution }, messages, chat }: ReplyTurn,
): EmptyAnswer {
  if (ask === 'stop-or-feedback' || (isTermination && !runsCodeFirst)) return { action: 'end' }
  if (maxConsecutiveAutoReply === 0 && !isTermination) return { action: 'reply' }
  const last = messages.at(-1)
  if (last !== undefined && toolCallsOf(last).length > 0) return { action: 'call-tools' }
  if (codeExecution === undefined) return { action: 'reply' }
  const blocks = findCode(messages, codeExecution, chat)?.blocks ?? []
  if (blocks.length === 0) return { action: 'reply' }
  const { isolation, network } = codeExecution.executor.capabilities
  return { action: 'run-code', programs: blocks.length, isolation, network, ends: isTermination }
}

/** Messages since the agent last spoke, and those that are searched for code. */
function askedAbout({ agent, messages }: ReplyTurn): Pick<HumanInputRequest, 'messages'> {
  const { lastNMessages = 'auto' } = agent.codeExecution ?? {}
  const searched = lastNMessages === 'auto' ? messages.length : messages.length - lastNMessages
  const heard = messages.findLastIndex(({ role }) => role !== 'user') + 1
  const from = Math.max(0, Math.min(heard, searched, messages.length - 1))
  const about = messages.slice(from).map((message) => ({ source: message.source, text: askedText(message) }))
  return about.length === 0 ? {} : { messages: about }
}

function askedText(message: Message): string {
  return [textOf(message), callsText(toolCallsOf(message))].filter((text) => text !== '').join('\n')
}
