import type { Approve } from '@fenced/core'
import type { EventOf } from './event.ts'
import type { Message } from './message/message.ts'

// What AutoGen 0.4 calls these messages and events.

export type TextMessage = Message
/** Asks a team to end. */
export type StopMessage = Message & { readonly metadata: { readonly stop: true } }
/** Gives the task to the agent of this name. */
export type HandoffMessage = Message & { readonly metadata: { readonly handoff: string } }
/** Calls of tools, or what they answered. */
export type ToolCallSummaryMessage = Message

export type CodeGenerationEvent = EventOf<'code-generated'>
export type CodeExecutionEvent = EventOf<'code-end'>
export type ThoughtEvent = EventOf<'thought'>
export type ModelClientStreamingChunkEvent = EventOf<'text-delta'>
export type ToolCallRequestEvent = EventOf<'tool-calls'>
export type ToolCallExecutionEvent = EventOf<'tool-results'>
export type UserInputRequestedEvent = EventOf<'human-input-requested'>
export type SelectSpeakerEvent = EventOf<'speaker-selected'>

/** A function as AutoGen's `approval_func`: it gets the code and what the model wrote around it. */
export type ApprovalFunc = (request: {
  /** The programs in fenced blocks. */
  readonly code: string
  /** What the model wrote. */
  readonly context: string
}) => ApprovalResponse | Promise<ApprovalResponse>

interface ApprovalResponse {
  readonly approved: boolean
  /** For the model, where it is not approved. */
  readonly reason: string
}

/** Lets a function of AutoGen's form decide: `new CodeExecutorAgent({ approve: approveByFunc(approvalFunc), … })`. */
export function approveByFunc(approvalFunc: ApprovalFunc): Approve {
  return async ({ blocks, context }) => {
    const code = blocks.map((block) => `~~~~${block.language}\n${block.code.replace(/\n?$/, '\n')}~~~~`)
    const { approved, reason } = await approvalFunc({ code: code.join('\n\n'), context })
    return approved ? { decision: 'allow' } : { decision: 'deny', reason }
  }
}
