import { type ChatResult, endsWithTermination } from '@fenced/agents'
import type { CodeResult } from '@fenced/core'

export interface ConversationEnd extends ChatResult {
  /** Of the code that was run last. */
  readonly lastRun: CodeResult | undefined
}

/** Whether a person ended it, or the model did after its last program ran well; or nothing was to be run. */
export function endedWell({ chatHistory, humanInput, lastRun }: ConversationEnd): boolean {
  if (humanInput.at(-1) === 'exit') return true
  if (lastRun?.status === 'denied') return true
  const last = chatHistory.at(-1)
  const isFinished = last !== undefined && endsWithTermination(last)
  return isFinished && (lastRun === undefined || lastRun.status === 'ok')
}
