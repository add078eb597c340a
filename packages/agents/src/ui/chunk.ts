import type { InferUIMessageChunk } from 'ai'
import type { AgentUIMessage } from './ui-message.ts'

/** A piece of the stream. */
export type AgentUIChunk = InferUIMessageChunk<AgentUIMessage>

export type WriteChunk = (chunk: AgentUIChunk) => void
