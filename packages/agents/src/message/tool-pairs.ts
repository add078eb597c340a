import type { ModelMessage, ToolResultPart } from 'ai'
import { toolCallsOf, toolResultsOf } from './tool-parts.ts'

/** The answer to a call, and the position of the message that brings it. */
interface CallAnswer {
  readonly position: number
  readonly result: ToolResultPart
}

/** What the answers to tool calls mean for one message. */
export interface PairedAnswers {
  /** To its own calls, in their order; `undefined` for one that nobody answered. */
  readonly toCalls: readonly (CallAnswer | undefined)[]
  /** That it brings to calls which are not in the messages before, or have an answer already. */
  readonly strays: readonly ToolResultPart[]
}

/**
 * Finds the call of every answer, wherever the answer stands after it. An id that is used again means its newest call:
 * some servers number the calls of each answer from 0.
 */
export function pairToolAnswers(messages: readonly ModelMessage[]): readonly PairedAnswers[] {
  const open = new Map<string, OpenCall[]>()
  return messages.map((message, position) => {
    const strays = toolResultsOf(message).filter((result) => {
      const call = open.get(result.toolCallId)?.shift()
      if (call !== undefined) call.toCalls[call.index] = { position, result }
      return call === undefined
    })
    const calls = toolCallsOf(message)
    const toCalls: (CallAnswer | undefined)[] = calls.map(() => undefined)
    for (const { id } of calls) open.delete(id)
    for (const [index, { id }] of calls.entries()) {
      open.set(id, [...(open.get(id) ?? []), { toCalls, index }])
    }
    return { toCalls, strays }
  })
}

interface OpenCall {
  readonly toCalls: (CallAnswer | undefined)[]
  readonly index: number
}
