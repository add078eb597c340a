import type { ChatMessage, ToolResponse } from '../message/chat-message.ts'

/** What the answers to tool calls mean for one message. */
export interface PairedAnswers {
  /** To its own calls, in their order; `undefined` for one that nobody answered. */
  readonly toCalls: readonly (ToolResponse | undefined)[]
  /** That it brings to calls which are not in the messages before, or have an answer already. */
  readonly strays: readonly ToolResponse[]
}

/**
 * Finds the call of every answer, wherever the answer stands after it. An id that is used again means its newest call:
 * some servers number the calls of each answer from 0.
 */
export function pairToolAnswers(messages: readonly ChatMessage[]): readonly PairedAnswers[] {
  const open = new Map<string, OpenCall[]>()
  const pairs: { toCalls: (ToolResponse | undefined)[]; strays: ToolResponse[] }[] = []
  for (const { toolCalls = [], toolResponses = [] } of messages) {
    const strays = toolResponses.filter((response) => {
      const call = open.get(response.toolCallId)?.shift()
      if (call !== undefined) call.toCalls[call.index] = response
      return call === undefined
    })
    const toCalls: (ToolResponse | undefined)[] = toolCalls.map(() => undefined)
    for (const { id } of toolCalls) open.delete(id)
    for (const [index, { id }] of toolCalls.entries()) {
      open.set(id, [...(open.get(id) ?? []), { toCalls, index }])
    }
    pairs.push({ toCalls, strays })
  }
  return pairs
}

interface OpenCall {
  readonly toCalls: (ToolResponse | undefined)[]
  readonly index: number
}
