import type { ReplyFunction } from '../agent/agent.ts'
import type { AgentParts } from '../agent/agent-parts.ts'
import { codeWriterMessage, codeWriterSystemMessage } from '../agent/code-instructions.ts'
import { metadataOf } from '../message/message.ts'
import type { ToolCall } from '../message/tool-parts.ts'
import { describeUnfinished, isCut } from '../model/call-model.ts'
import { isSuspension } from '../running/questions.ts'
import { answerWithTools } from '../tool/answer-with-tools.ts'
import { ownReply, type ReplyTurn } from './own-reply.ts'

/** Calls the agent's model. If the model calls the agent's tools, they are executed, and the model continues with the results. */
export const generateModelReply: ReplyFunction = ownReply(async (turn) => {
  const { agent, messages, chat, conversation } = turn
  const { model, modelTools, settings } = agent
  if (model === undefined) return undefined
  const { innerMessages } = conversation
  const answer = await answerWithTools(
    {
      ...{ asking: agent.asking(chat), model, maxToolIterations: settings.maxToolIterations },
      caller: agent.caller,
      saved: chat.takeSavedCalls(),
      request: {
        instructions: instructionsFor(turn),
        tools: Object.fromEntries(modelTools),
        pictures: settings.pictures !== undefined,
      },
      ownsCalls: (toolCalls) => areOwnCalls(toolCalls, agent),
    },
    {
      messages: () => agent.messagesForModel([...messages, ...innerMessages], turn),
      add: (message) => innerMessages.push(message),
    },
  ).catch((error: unknown) => {
    if (!isSuspension(error)) conversation.innerMessages = []
    throw error
  })
  conversation.innerMessages = []
  const remark = describeUnfinished(answer)
  const facts = metadataOf({ isCut: isCut(answer) })
  return {
    reply: { role: 'assistant', origin: 'model', content: answer.content, ...facts },
    innerMessages,
    ...(remark === undefined ? {} : { remark }),
  }
})

/** Calls of which the partner can make none: they are of the agent's own tools, or of none that there is. */
function areOwnCalls(toolCalls: readonly ToolCall[], { ownTools, modelTools }: AgentParts): boolean {
  const isOwn = ({ name }: ToolCall) => ownTools.has(name) || !modelTools.has(name)
  return ownTools.size > 0 && toolCalls.every(isOwn)
}

/** The default instructions for writing code describe the executor, where it is known: the agent's own, or its partner's. */
function instructionsFor({ agent: { systemMessage, codeExecution }, sender }: ReplyTurn): string {
  if (systemMessage !== codeWriterSystemMessage) return systemMessage
  return codeWriterMessage((codeExecution ?? sender?.codeExecution)?.executor.capabilities)
}
