import type { TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'

/** Counts what a task took. */
export class TaskStatistics {
  readonly #begin = performance.now()
  #messages = 0
  #inputTokens = 0
  #outputTokens = 0

  /** @param message - what was said; nothing for an event. */
  add(message?: Message): void {
    this.#messages++
    this.#inputTokens += message?.metadata?.usage?.inputTokens ?? 0
    this.#outputTokens += message?.metadata?.usage?.outputTokens ?? 0
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
export function usageText({ metadata }: Pick<Message, 'metadata'> = {}): string {
  const usage = metadata?.usage
  if (usage === undefined) return ''
  return `[Prompt tokens: ${usage.inputTokens}, Completion tokens: ${usage.outputTokens}]\n`
}
