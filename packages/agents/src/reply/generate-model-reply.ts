import { internalsOf } from '../agent/agent-internals.ts'
import { askModel } from '../agent/ask-model.ts'
import { codeWriterMessage, codeWriterSystemMessage } from '../agent/code-writer-system-message.ts'
import type { ConversableAgent } from '../agent/conversable-agent.ts'
import { describeUnfinished } from '../model/unfinished-answer.ts'
import type { ReplyFunction } from './reply-function.ts'

/** Asks the agent's model. */
export const generateModelReply: ReplyFunction = async ({ agent, messages, sender, chat }) => {
  const { model, declaredTools, settings } = internalsOf(agent)
  if (model === undefined) return undefined
  const instructions = instructionsOf(agent, sender)
  const tools = Object.fromEntries(declaredTools)
  const answer = await askModel(
    { agent, model, chat },
    { instructions, messages, tools, pictures: settings.pictures !== undefined },
  )
  const { text, toolCalls, parts } = answer
  const remark = describeUnfinished(answer)
  return {
    reply: {
      content: text,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(parts === undefined ? {} : { parts }),
    },
    ...(remark === undefined ? {} : { remark }),
  }
}

/** The default instructions for writing code say what runs it, where that is known: the agent's own executor, or its partner's. */
function instructionsOf(agent: ConversableAgent, sender: ConversableAgent | undefined): string {
  const { systemMessage } = agent
  if (systemMessage !== codeWriterSystemMessage) return systemMessage
  return codeWriterMessage((agent.codeExecutor ?? sender?.codeExecutor)?.capabilities)
}
