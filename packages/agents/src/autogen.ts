import type { AskAbout } from '@fenced/core'
import type { EventOf } from './event.ts'
import type { Message } from './message/message.ts'
import { toolCallsOf } from './message/tool-parts.ts'

// What AutoGen 0.4 calls these messages and events.

export type TextMessage = Message
/** Asks a team to stop. */
export type StopMessage = Message & { readonly metadata: { readonly stop: true } }
/** Hands the task to the named agent. */
export type HandoffMessage = Message & { readonly metadata: { readonly handoff: string } }
/** Tool calls, or their results. */
export type ToolCallSummaryMessage = Message

/** Returns AutoGen 0.4's name for a message, in place of `isinstance`. */
export function autoGenClass(
  message: Message,
): 'TextMessage' | 'StopMessage' | 'HandoffMessage' | 'ToolCallSummaryMessage' {
  const { role, metadata } = message
  if (metadata?.stop === true) return 'StopMessage'
  if (metadata?.handoff !== undefined) return 'HandoffMessage'
  return role === 'tool' || toolCallsOf(message).length > 0 ? 'ToolCallSummaryMessage' : 'TextMessage'
}

export type CodeGenerationEvent = EventOf<'code-generated'>
export type CodeExecutionEvent = EventOf<'code-end'>
export type ThoughtEvent = EventOf<'thought'>
export type ModelClientStreamingChunkEvent = EventOf<'text-delta'>
export type ToolCallRequestEvent = EventOf<'tool-calls'>
export type ToolCallExecutionEvent = EventOf<'tool-results'>
export type UserInputRequestedEvent = EventOf<'human-input-requested'>
export type SelectSpeakerEvent = EventOf<'speaker-selected'>

/** A function like AutoGen's `approval_func`, which receives the code and the model's text around it. */
export type ApprovalFunc = (request: {
  /** The programs, in fenced blocks. */
  readonly code: string
  /** The model's text. */
  readonly context: string
}) => ApprovalResponse | Promise<ApprovalResponse>

interface ApprovalResponse {
  readonly approved: boolean
  /** Reason for the model if the code is not approved. */
  readonly reason: string
}

/** A function in AutoGen's format, as `ask` about code. */
export function askByFunc(approvalFunc: ApprovalFunc): AskAbout<'code'> {
  return async ({ blocks, context }) => {
    const code = blocks.map((block) => `~~~~${block.language}\n${block.code.replace(/\n?$/, '\n')}~~~~`)
    const { approved, reason } = await approvalFunc({ code: code.join('\n\n'), context })
    return approved ? { decision: 'allow' } : { decision: 'deny', reason }
  }
}
