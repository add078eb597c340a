import { FencedError } from '@fenced/core'
import type { ModelMessage } from 'ai'
import type { SummaryArgs, SummaryMethod } from '../agent/agent.ts'
import type { AgentParts } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import type { ChatResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import { copiesOutput, originOf, outputsIn, withoutTermination } from '../message/written-text.ts'
import { requestWholeAnswer } from '../model/cut-answer.ts'

export interface SummaryRequest {
  readonly sender: AgentParts
  readonly recipient: AgentParts
  readonly method: SummaryMethod
  readonly args: SummaryArgs
}

/** @throws FencedError `INVALID_OPTIONS` before a word is said, when no model could be asked in the end. */
export function checkSummary({ sender, recipient, method }: SummaryRequest): void {
  if (method !== 'reflection_with_llm' || (recipient.model ?? sender.model) !== undefined) return
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `summaryMethod "reflection_with_llm" needs a model, and neither ${recipient.name} nor ${sender.name} has one.`,
    data: { option: 'summaryMethod', value: method, agent: sender.name, partner: recipient.name },
  })
}

const defaultPrompt =
  'Say in a few sentences what came of this conversation. Give the outcome itself, without an introduction.'

/** A summary and its origin. A summary that repeats output has the origin `program`. */
export type Summary = Pick<ChatResult, 'summary' | 'summaryOrigin'>

export const noSummary: Summary = { summary: '', summaryOrigin: 'program' }

export async function summarize(request: SummaryRequest, chat: ChatContext): Promise<Summary> {
  const { sender, recipient, method } = request
  const messages = [...recipient.conversations.with(sender.agent).messages]
  const last = messages.at(-1)
  if (method === 'last_msg')
    return last === undefined
      ? noSummary
      : { summary: withoutTermination(last), summaryOrigin: originOf(last) }
  if (method === 'reflection_with_llm')
    return { summary: await reflect(request, messages, chat), summaryOrigin: 'model' }
  const pair = { sender: sender.agent, recipient: recipient.agent }
  const summary = await method({ ...pair, messages, signal: chat.signal })
  const isCopy = typeof summary === 'string' && copiesOutput(summary, outputsIn(messages))
  return { summary, summaryOrigin: isCopy ? 'program' : 'person' }
}

async function reflect(
  { sender, recipient, args }: SummaryRequest,
  messages: readonly Message[],
  chat: ChatContext,
): Promise<string> {
  const { summaryPrompt = defaultPrompt, summaryRole = 'user' } = args
  const agent = recipient.model === undefined ? sender : recipient
  const { model } = agent
  if (model === undefined) return ''
  const question: ModelMessage = { role: summaryRole, content: summaryPrompt }
  try {
    const conversation = recipient.conversations.with(sender.agent)
    const heard = await agent.messagesForModel(messages, { chat, conversation })
    const request = { messages: [...heard, question] }
    return (await requestWholeAnswer(agent.asking(chat), model, request)).text
  } catch (error) {
    if (!FencedError.isInstance(error)) throw error
    // What was said is worth more than what would have been said about it.
    const { code, message } = error
    await chat.emit({
      type: 'notice',
      agent: agent.name,
      notice: { code, message: `No summary: ${message}` },
    })
    return ''
  }
}
