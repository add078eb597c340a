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
