import type { ModelMessage } from 'ai'
import { createMessage, type Message, textOf } from '../message/message.ts'
import { type ToolCall, toolCallsOf } from '../message/tool-parts.ts'
import { requestWholeAnswer } from '../model/cut-answer.ts'
import type { AskingAgent, ModelClient } from '../model/model-client.ts'
import type { ModelReply, ModelRequest } from '../model/model-request.ts'
import { type SavedTurn, savedOf } from '../running/saved-questions.ts'
import { type CallingAgent, calledTooOften, callOwnTools } from './call-tool.ts'

/** An agent with a model and with tools that it calls itself. */
export interface ToolUser {
  readonly asking: AskingAgent
  readonly model: ModelClient
  readonly request: Omit<ModelRequest, 'messages'>
  readonly caller: Omit<CallingAgent, 'agent' | 'run' | 'messages'>
  readonly maxToolIterations: number
  /** The turn that waited for answers when the agent was saved: its calls are the last message of the memory. */
  readonly saved?: SavedTurn | undefined
  /** Whether the agent makes these calls itself. @default all calls are its own */
  readonly ownsCalls?: (toolCalls: readonly ToolCall[]) => boolean
}

/** The messages that the model reads. */
export interface ToolUserMemory {
  messages(): readonly ModelMessage[] | Promise<readonly ModelMessage[]>
  /** Adds an answer that calls tools, and then their results. */
  add(message: Message): unknown
}

/**
 * Asks a model until its answer calls none of the agent's tools. The last answer is not added to the memory.
 *
 * 1. The agent makes the calls that were not over when it was saved.
 * 2. The model answers.
 * 3. An answer without own calls is the result. So is the last answer within the limit, without its calls.
 * 4. The agent makes the calls, all at the same time, and the model reads the results.
 */
export async function answerWithTools(user: ToolUser, memory: ToolUserMemory): Promise<ModelReply> {
  const { asking, model, request, caller, maxToolIterations, ownsCalls = () => true } = user
  const { agent, run } = asking
  await finishCalls(user, memory)
  for (let iterations = 0; ; iterations++) {
    const messages = await memory.messages()
    const reply = await requestWholeAnswer(asking, model, { ...request, messages })
    const { text, content, toolCalls } = reply
    if (toolCalls.length === 0 || !ownsCalls(toolCalls)) return reply
    if (iterations === maxToolIterations) {
      const last = `${text}\n\n${calledTooOften(iterations)}`.trim()
      return { ...reply, text: last, content: last, toolCalls: [], finishReason: 'other' }
    }
    await memory.add(createMessage({ role: 'assistant', source: agent, origin: 'model', content }))
    await memory.add(await callOwnTools(reply, { ...caller, agent, run, messages }))
  }
}

async function finishCalls({ asking, caller, saved }: ToolUser, memory: ToolUserMemory): Promise<void> {
  if (savedOf(saved, 'tool').length === 0) return
  const messages = await memory.messages()
  const last = messages.at(-1)
  const toolCalls = last === undefined ? [] : toolCallsOf(last)
  if (last === undefined || toolCalls.length === 0) return
  const { agent, run } = asking
  const reply = { text: textOf(last), toolCalls }
  await memory.add(
    await callOwnTools(reply, { ...caller, agent, run, messages: messages.slice(0, -1), saved }),
  )
}
