import type { ModelMessage } from 'ai'
import { type Message, modelMessage } from './message.ts'
import { type ToolCall, type ToolResponse, toolCallPart, toolResultPart } from './tool-parts.ts'

/** What a model says that asks for calls of tools. */
export const asking = (text: string, ...calls: ToolCall[]) => ({
  role: 'assistant' as const,
  content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls.map(toolCallPart)],
})

/** What tools answer. */
export const answering = (...responses: ToolResponse[]) => ({
  role: 'tool' as const,
  content: responses.map(toolResultPart),
})

/** What a person says instead of the tools that were to be called. */
export const denying = (text: string, ...calls: ToolCall[]) => ({
  role: 'tool' as const,
  content: calls.map(({ id: toolCallId, name: toolName }, index) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'execution-denied' as const, ...(index === 0 ? { reason: text } : {}) },
  })),
})

/** Messages without their envelopes. */
export const plain = (messages: readonly Message[]): ModelMessage[] => messages.map(modelMessage)
