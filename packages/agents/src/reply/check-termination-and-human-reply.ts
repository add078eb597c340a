import { asksForApproval } from '@fenced/core/internal'
import type { ToolResultPart } from 'ai'
import type { Agent, ReplyContext, ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import { type AgentInternals, internalsOf } from '../agent/agent-internals.ts'
import type { ReplyChat } from '../agent/chat-context.ts'
import { AskedHumanInput } from '../human-input/asked-human-input.ts'
import { type EmptyAnswer, type HumanInputRequest, humanInputRequest } from '../human-input/human-input.ts'
import { type Message, type MessageInput, textOf } from '../message/message.ts'
import { callsText, toolCallsOf } from '../message/tool-parts.ts'
import { countedConversation } from './counted-conversation.ts'
import { decideByMessage, findCode } from './generate-code-execution-reply.ts'
import { stopsByItself } from './stops-by-itself.ts'

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
  {
    isTermination,
    runsCodeFirst,
    maxConsecutiveAutoReply,
    messages,
    codeExecution,
    chat,
  }: TurnState & Pick<ReplyContext, 'messages' | 'chat'> & Pick<AgentInternals, 'codeExecution'>,
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
function askedAbout(
  messages: readonly Message[],
  { codeExecution }: AgentInternals,
): Pick<HumanInputRequest, 'messages'> {
  const { lastNMessages = 'auto' } = codeExecution ?? {}
  const searched = lastNMessages === 'auto' ? messages.length : messages.length - lastNMessages
  const heard = messages.findLastIndex(({ role }) => role !== 'user') + 1
  const from = Math.max(0, Math.min(heard, searched, messages.length - 1))
  const about = messages.slice(from).map((message) => ({ source: message.source, text: askedText(message) }))
  return about.length === 0 ? {} : { messages: about }
}

function askedText(message: Message): string {
  return [textOf(message), callsText(toolCallsOf(message))].filter((text) => text !== '').join('\n')
}

/** The first reply function of an agent: ends the conversation, prompts a person, or continues. */
export const checkTerminationAndHumanReply: ReplyFunction = stopsByItself(
  async ({ agent, sender, messages, chat }) => {
    const turn = await turnOf({ agent, sender, messages, chat })
    const names = { agent: agent.name, partner: sender?.name ?? 'the sender' }
    const decision = decide(turn)
    if (decision === 'stop') return turn.stop(turn.isTermination ? ended(names.partner) : limitReached(agent))
    if (decision === 'go-on') {
      if (turn.mode !== 'never') await chat.emit({ type: 'auto-reply', agent: agent.name })
      return turn.continueWith(names.partner)
    }
    const request = humanInputRequest({
      kind: decision.ask,
      agent: agent.name,
      prompt: promptFor(decision, names),
      onEmpty: onEmpty(decision, {
        ...turn,
        messages,
        chat,
        codeExecution: internalsOf(agent).codeExecution,
      }),
      ...askedAbout(messages, internalsOf(agent)),
      ...(sender === undefined ? {} : { partner: sender.name }),
    })
    const { humanInput, codeExecution } = internalsOf(agent)
    const text = await chat.ask(request, humanInput)
    if (text === 'exit') return turn.stop(`The person behind ${agent.name} asked to end it.`)
    if (text !== '') return turn.reply(humanReply(text, messages.at(-1)))
    if (codeExecution !== undefined && decidesAboutCode(request, { humanInput, codeExecution }))
      decideByMessage(messages, findCode(messages, codeExecution, chat)?.blocks ?? [])
    await chat.emit({ type: 'no-human-input', agent: agent.name })
    if (turn.isTermination && !turn.runsCodeFirst) return turn.stop(ended(names.partner))
    if (turn.maxConsecutiveAutoReply === 0 && !turn.isTermination) return turn.reply('')
    await chat.emit({ type: 'auto-reply', agent: agent.name })
    return turn.continueWith(names.partner)
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
