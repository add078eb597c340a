import { type EmptyAnswer, type HumanInputRequest, humanInputRequest } from '../human-input/human-input.ts'
import { type Message, textOf } from '../message/message.ts'
import { callsText, toolCallsOf } from '../message/tool-parts.ts'
import { findCode } from './generate-code-execution-reply.ts'
import type { ReplyTurn } from './own-reply.ts'

/** The settings and the state that decide whether a person is prompted before a reply. */
export interface TurnState {
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
export function decide(state: TurnState): Decision {
  const { mode, isTermination, runsCodeFirst, autoReplies, maxConsecutiveAutoReply } = state
  const isOver = autoReplies >= maxConsecutiveAutoReply
  if (mode === 'never') return isOver || (isTermination && !runsCodeFirst) ? 'stop' : 'go-on'
  if (isTermination && runsCodeFirst) return { ask: 'run-and-stop' }
  if (mode === 'always') return { ask: 'reply' }
  if (isTermination) return { ask: 'stop-or-feedback' }
  return isOver ? { ask: 'skip-or-stop' } : 'go-on'
}

/** The question that the table asks for, with the messages that it is about. */
export function questionToPerson(
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
