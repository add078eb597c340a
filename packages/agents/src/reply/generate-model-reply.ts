import type { Agent, ReplyFunction } from '../agent/agent.ts'
import { type AgentInternals, askModel, internalsOf } from '../agent/agent-internals.ts'
import { codeWriterMessage, codeWriterSystemMessage } from '../agent/code-instructions.ts'
import { createMessage, type Message, metadataOf } from '../message/message.ts'
import type { ToolCall } from '../message/tool-parts.ts'
import { describeUnfinished, isCut } from '../model/call-model.ts'
import { calledTooOften, callOwnTools } from '../tool/call-tool.ts'
import { callerOf } from './generate-tool-calls-reply.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** Calls the agent's model. If the model calls the agent's tools, they are executed, and the model continues with the results. */
export const generateModelReply: ReplyFunction = stopsByItself(async ({ agent, messages, sender, chat }) => {
  const { model, modelTools, settings } = internalsOf(agent)
  if (model === undefined) return undefined
  const instructions = instructionsOf(agent, sender)
  const tools = Object.fromEntries(modelTools)
  const pictures = settings.pictures !== undefined
  const innerMessages: Message[] = []
  for (let iterations = 0; ; iterations++) {
    const heard = [...messages, ...innerMessages]
    const request = { instructions, messages: heard, tools, pictures }
    const answer = await askModel({ agent, model, chat }, request)
    const { content, text, toolCalls } = answer
    if (!areOwnCalls(toolCalls, internalsOf(agent))) {
      const remark = describeUnfinished(answer)
      const reply = {
        role: 'assistant' as const,
        origin: 'model' as const,
        content,
        ...metadataOf({ isCut: isCut(answer) }),
      }
      return { reply, innerMessages, ...(remark === undefined ? {} : { remark }) }
    }
    if (iterations === settings.maxToolIterations)
      return {
        reply: { origin: 'model', content: `${text}\n\n${calledTooOften(iterations)}`.trim() },
        innerMessages,
      }
    const asked = createMessage({ role: 'assistant', source: agent.name, origin: 'model', content })
    innerMessages.push(asked, await callOwnTools(answer, callerOf(agent, { chat, messages: heard })))
  }
})

/** Calls of which the partner can make none: they are of the agent's own tools, or of none that there is. */
function areOwnCalls(
  toolCalls: readonly ToolCall[],
  { ownTools, modelTools }: Pick<AgentInternals, 'ownTools' | 'modelTools'>,
): boolean {
  const isOwn = ({ name }: ToolCall) => ownTools.has(name) || !modelTools.has(name)
  return ownTools.size > 0 && toolCalls.length > 0 && toolCalls.every(isOwn)
}

/** The default instructions for writing code say what runs it, where that is known: the agent's own executor, or its partner's. */
function instructionsOf(agent: Agent, sender: Agent | undefined): string {
  const { systemMessage } = agent
  if (systemMessage !== codeWriterSystemMessage) return systemMessage
  return codeWriterMessage((agent.executor ?? sender?.executor)?.capabilities)
}
