import type { OutputFile } from '@fenced/core'
import type { ChatMessage } from '../message/chat-message.ts'
import type { UsageSummary } from '../model/usage.ts'

/** What a conversation came to. Plain data. */
export interface ChatResult {
  /** `cancelled` when the caller's signal, or leaving the loop over the events, ended it. */
  status: 'done' | 'cancelled'
  /** What was said last, without TERMINATE; empty where nothing was said. */
  text: string
  /** The files that programs have made or changed, each once, also in nested conversations. */
  files: readonly OutputFile[]
  /** As the one who began it keeps it. */
  chatHistory: readonly ChatMessage[]
  /** See `summaryMethod`; empty without one. */
  summary: string
  /** Of every model that was asked in this conversation, also for its summary and in nested ones. */
  usage: UsageSummary
  /** What a person typed for the one who began it, in order, also empty answers and `exit`. */
  humanInput: readonly string[]
  /** Why it ended: a sentence. */
  stopReason: string
}
