import type { AgentEvent, AgentMessage } from '../task/agent-message.ts'
import type { TaskResult } from '../task/chat-agent.ts'
import { isPiece } from '../task/run-task.ts'

/** Counts what a task took. */
export class TaskStatistics {
  readonly #begin = performance.now()
  #messages = 0
  #inputTokens = 0
  #outputTokens = 0

  add(item: AgentMessage | AgentEvent): void {
    if (!isPiece(item)) this.#messages++
    this.#inputTokens += item.usage?.inputTokens ?? 0
    this.#outputTokens += item.usage?.outputTokens ?? 0
  }

  /** What stands at the end. */
  text({ status, stopReason }: Partial<Pick<TaskResult, 'status' | 'stopReason'>> = {}): string {
    const seconds = (performance.now() - this.#begin) / 1000
    return [
      `Number of messages: ${this.#messages}`,
      `Finish reason: ${stopReason ?? status ?? 'done'}`,
      `Total prompt tokens: ${this.#inputTokens}`,
      `Total completion tokens: ${this.#outputTokens}`,
      `Duration: ${seconds.toFixed(2)} seconds`,
    ].join('\n')
  }
}

/** What stands below one message; empty where no model was asked for it. */
export function usageText({ usage }: Pick<AgentMessage, 'usage'>): string {
  if (usage === undefined) return ''
  return `[Prompt tokens: ${usage.inputTokens}, Completion tokens: ${usage.outputTokens}]\n`
}
