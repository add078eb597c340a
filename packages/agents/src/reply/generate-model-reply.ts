import { internalsOf } from '../agent/agent-internals.ts'
import { askModel } from '../agent/ask-model.ts'
import type { ReplyFunction } from './reply-function.ts'

/** Asks the agent's model. */
export const generateModelReply: ReplyFunction = async ({ agent, messages, chat }) => {
  const { model, systemMessage: instructions, declaredTools } = internalsOf(agent)
  if (model === undefined) return undefined
  const tools = Object.fromEntries(declaredTools)
  const { text, toolCalls } = await askModel({ agent, model, chat }, { instructions, messages, tools })
  return { reply: toolCalls.length === 0 ? text : { content: text, toolCalls } }
}
