import type { Agent, ReplyFunction } from '../agent/agent.ts'
import { type AgentInternals, askingAgent, internalsOf } from '../agent/agent-internals.ts'
import { codeWriterMessage, codeWriterSystemMessage } from '../agent/code-instructions.ts'
import { type Message, metadataOf } from '../message/message.ts'
import type { ToolCall } from '../message/tool-parts.ts'
import { describeUnfinished, isCut } from '../model/call-model.ts'
import { answerWithTools } from '../tool/answer-with-tools.ts'
import { callerOf } from './generate-tool-calls-reply.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** Calls the agent's model. If the model calls the agent's tools, they are executed, and the model continues with the results. */
export const generateModelReply: ReplyFunction = stopsByItself(async ({ agent, messages, sender, chat }) => {
  const state = internalsOf(agent)
  const { model, modelTools, settings } = state
  if (model === undefined) return undefined
  const innerMessages: Message[] = []
  const answer = await answerWithTools(
    {
      ...{ asking: askingAgent(agent, chat), model, caller: callerOf(agent, chat) },
      request: {
        instructions: instructionsOf(agent, sender),
        tools: Object.fromEntries(modelTools),
        pictures: settings.pictures !== undefined,
      },
      maxToolIterations: settings.maxToolIterations,
      ownsCalls: (toolCalls) => areOwnCalls(toolCalls, state),
    },
    {
      messages: () => [...messages, ...innerMessages],
      add: (message) => innerMessages.push(message),
    },
  )
  const remark = describeUnfinished(answer)
  const facts = metadataOf({ isCut: isCut(answer) })
  return {
    reply: { role: 'assistant', origin: 'model', content: answer.content, ...facts },
    innerMessages,
    ...(remark === undefined ? {} : { remark }),
  }
})

/** Calls of which the partner can make none: they are of the agent's own tools, or of none that there is. */
function areOwnCalls(
  toolCalls: readonly ToolCall[],
  { ownTools, modelTools }: Pick<AgentInternals, 'ownTools' | 'modelTools'>,
): boolean {
  const isOwn = ({ name }: ToolCall) => ownTools.has(name) || !modelTools.has(name)
  return ownTools.size > 0 && toolCalls.every(isOwn)
}

/** The default instructions for writing code say what runs it, where that is known: the agent's own executor, or its partner's. */
function instructionsOf(agent: Agent, sender: Agent | undefined): string {
  const { systemMessage } = agent
  if (systemMessage !== codeWriterSystemMessage) return systemMessage
  return codeWriterMessage((agent.executor ?? sender?.executor)?.capabilities)
}
