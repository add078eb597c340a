import type { EventOf } from './event.ts'

// What AutoGen 0.4 calls these events.

export type CodeGenerationEvent = EventOf<'code-generated'>
export type CodeExecutionEvent = EventOf<'code-end'>
export type ThoughtEvent = EventOf<'thought'>
export type ModelClientStreamingChunkEvent = EventOf<'text-delta'>
export type ToolCallRequestEvent = EventOf<'tool-calls'>
export type ToolCallExecutionEvent = EventOf<'tool-results'>
export type UserInputRequestedEvent = EventOf<'human-input-requested'>
export type SelectSpeakerEvent = EventOf<'speaker-selected'>
