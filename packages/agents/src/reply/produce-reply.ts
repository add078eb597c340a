import { FencedError } from '@fenced/core'
import { untilAborted } from '@fenced/shared'
import type { ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import type { AgentParts } from '../agent/agent-parts.ts'
import { matches } from '../agent/registered-functions.ts'
import type { Message, MessageInput } from '../message/message.ts'
import { toSent } from '../message/sent-and-received.ts'
import { areOnlyData, blocksOf, programsOf } from '../running/code-blocks.ts'
import { isSuspension, unsuspended } from '../running/questions.ts'
import { checkTerminationAndHumanReply } from './check-termination-and-human-reply.ts'
import { generateCodeExecutionReply, noExecutorReply } from './generate-code-execution-reply.ts'
import { generateModelReply } from './generate-model-reply.ts'
import { generateToolCallsReply } from './generate-tool-calls-reply.ts'
import { isOwnReply, type ReplyTurn, replyTurnOf } from './own-reply.ts'

interface ReplyRequest extends Pick<ReplyTurn, 'messages' | 'sender' | 'chat'> {
  readonly exclude?: readonly ReplyFunction[] | undefined
}

/** The reply functions of every agent, in the order in which they are called. */
export const defaultReplyFunctions: readonly ReplyFunction[] = [
  checkTerminationAndHumanReply,
  generateToolCallsReply,
  generateCodeExecutionReply,
  generateModelReply,
]

export const ownReplyFunctions: ReadonlySet<ReplyFunction> = new Set([
  ...defaultReplyFunctions,
  noExecutorReply,
])

/** Whether an agent has functions of its owner's to reply with, or words for code that it does not run. */
export function hasOtherReplies({ replies }: AgentParts): boolean {
  return [...replies].some(({ reply }) => !ownReplyFunctions.has(reply) || reply === noExecutorReply)
}

/**
 * What an agent says, `null` to end the conversation; with `endsChat` it ends after that was said, and why. `remark` is what
 * the reason for the end has to say of the reply.
 */
type ProducedReply =
  | {
      readonly message: Message
      readonly endsChat: string | undefined
      readonly remark?: string | undefined
      readonly innerMessages: readonly Message[]
    }
  | { readonly message: null; readonly endsChat: string }

/** Asks an agent's functions one after the other until one has a reply. */
export async function produceReply(agent: AgentParts, request: ReplyRequest): Promise<ProducedReply> {
  const { sender, exclude = [], chat } = request
  chat.signal.throwIfAborted()
  // What a function does with the list does not change the conversation, nor what comes meanwhile the list.
  const messages = await agent.hooks.beforeReply([...request.messages])
  const turn = replyTurnOf(agent, sender, { messages, chat })
  const { autoReplies, dataMessages } = turn.conversation
  try {
    return await firstReply(turn, exclude)
  } catch (error) {
    // The turn begins again.
    if (isSuspension(error)) Object.assign(turn.conversation, { autoReplies, dataMessages })
    throw error
  }
}

async function firstReply(turn: ReplyTurn, exclude: readonly ReplyFunction[]): Promise<ProducedReply> {
  const { agent, sender, messages, chat } = turn
  const shown = { agent: agent.agent, sender: sender?.agent, messages, chat }
  let endsChat: string | undefined
  for (const { trigger, reply, config } of agent.replies) {
    if (exclude.includes(reply) || !matches(trigger, shown.sender)) continue
    const replying = (async () => reply({ ...shown, config }))()
    const where = { agent: agent.name, what: 'a reply function' }
    const outcome = checked(
      await (isOwnReply(reply) ? replying : unsuspended(where, () => untilAborted(replying, chat.signal))),
      agent,
    )
    endsChat ??= outcome !== undefined && 'endsChat' in outcome ? outcome.endsChat : undefined
    if (outcome === undefined || !('reply' in outcome)) continue
    turn.conversation.dataMessages = 0
    if (outcome.reply !== null) {
      const { remark, innerMessages = [] } = outcome
      return { message: toSent(outcome.reply, agent.name), endsChat, remark, innerMessages }
    }
    return { message: null, endsChat: outcome.reason ?? `${agent.name} has no reply.` }
  }
  if (sentOnlyDataAgain(turn))
    return { message: null, endsChat: endsChat ?? `${sender?.name} sent only data twice in a row.` }
  const message = toSent(defaultReply(turn), agent.name)
  return { message, endsChat, innerMessages: [] }
}

/** Whether the sender has repeated that it wants nothing to be run: to say again that data is not run would lead nowhere. */
function sentOnlyDataAgain(turn: ReplyTurn): boolean {
  const { conversation } = turn
  const last = unrunMessage(turn)
  const isData = last !== undefined && areOnlyData(blocksOf(last))
  conversation.dataMessages = isData ? conversation.dataMessages + 1 : 0
  return conversation.dataMessages > 1
}

/** A model that has sent blocks and no program learns why nothing was run. */
function defaultReply(turn: ReplyTurn): MessageInput {
  const { settings, codeExecution } = turn.agent
  const { defaultAutoReply = '' } = settings
  const last = unrunMessage(turn)
  if (last === undefined || codeExecution === undefined) return defaultAutoReply
  const { why } = programsOf([last], { executor: codeExecution.executor, namesOthers: true })
  const content = [why, defaultAutoReply].filter((text) => text !== undefined && text !== '').join('\n\n')
  return { origin: defaultAutoReply === '' ? 'program' : 'person', content }
}

/** The newest message, if its author should read why none of its code runs. Persons are not notified. */
function unrunMessage({ agent: { codeExecution }, messages, sender }: ReplyTurn): Message | undefined {
  const last = messages.at(-1)
  const isForPerson = sender?.settings.humanInputMode === 'always'
  const searches = codeExecution !== undefined && codeExecution.lastNMessages !== 0
  return searches && last?.role === 'user' && !isForPerson ? last : undefined
}

/** Functions in plain JavaScript give back all kinds of things. */
function checked(outcome: ReplyOutcome, { name }: AgentParts): ReplyOutcome {
  if (outcome === undefined) return undefined
  if (typeof outcome === 'object' && outcome !== null && ('reply' in outcome || 'endsChat' in outcome)) {
    return outcome
  }
  const value = `${JSON.stringify(outcome)}`
  throw new FencedError({
    code: 'INVALID_REPLY',
    message: `A reply function of "${name}" returned ${value}. It must return undefined, { reply }, or { reply: null } to end the conversation.`,
    data: { agent: name, value },
  })
}
