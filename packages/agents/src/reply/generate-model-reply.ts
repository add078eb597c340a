import { internalsOf } from '../agent/agent-internals.ts'
import { askModel } from '../agent/ask-model.ts'
import { describeUnfinished } from '../model/unfinished-answer.ts'
import type { ReplyFunction } from './reply-function.ts'

/** Asks the agent's model. */
export const generateModelReply: ReplyFunction = async ({ agent, messages, chat }) => {
  const { model, systemMessage: instructions, declaredTools } = internalsOf(agent)
  if (model === undefined) return undefined
  const tools = Object.fromEntries(declaredTools)
  const answer = await askModel({ agent, model, chat }, { instructions, messages, tools })
  const { text, toolCalls } = answer
  const remark = describeUnfinished(answer)
  return {
    reply: toolCalls.length === 0 ? text : { content: text, toolCalls },
    ...(remark === undefined ? {} : { remark }),
  }
}
