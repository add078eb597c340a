import { ConversableAgent, type ConversableAgentOptions } from '@fenced/agents'
import { generateModelReply } from '@fenced/agents/reply'
import type { TimedElsewhere } from '../compare.ts'
import { cannedExecutor } from './canned-executor.ts'

export interface ChatsOptions {
  /** What the one who is asked always says. Code in it is run by the other one. */
  readonly text: string
  /** Of each conversation. */
  readonly messages: number
  readonly chats: number
}

/**
 * Conversations of two agents, with a fixed text where others ask a model, and a fixed result where others run code.
 * Everything else is as it always is.
 *
 * @returns how long a message took.
 */
export async function cannedChats(
  { text, messages, chats }: ChatsOptions,
  { iterated = false } = {},
): Promise<TimedElsewhere> {
  const common = { humanInputMode: 'never', maxConsecutiveAutoReply: messages } as const
  const sender = agent({ ...common, name: 'sender', codeExecutionConfig: { executor: cannedExecutor } }, text)
  const recipient = agent({ ...common, name: 'recipient' }, text)
  let count = 0
  const startedAt = performance.now()
  for (let index = 0; index < chats; index++) {
    const chat = sender.initiateChat(recipient, { message: 'What is it?', maxTurns: messages / 2 })
    if (iterated) for await (const _ of chat);
    count += (await chat).messages.length
  }
  const tookMs = (performance.now() - startedAt) / count
  if (count !== messages * chats) throw new Error(`${count} messages instead of ${messages * chats}.`)
  return { tookMs }
}

function agent(options: ConversableAgentOptions, text: string): ConversableAgent {
  const agent = new ConversableAgent(options)
  agent.replaceReplyFunction(generateModelReply, () => ({ reply: text }))
  return agent
}
