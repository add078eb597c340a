import type { ModelMessage, ToolCallPart, ToolResultPart } from 'ai'

const emptyMessage = '(empty message)'
const beginning = '(The conversation begins.)'

/**
 * Messages for a model, put together so that every provider takes them: user and model take turns, the user begins, and
 * no text is empty.
 */
export class Turns {
  readonly #messages: ModelMessage[] = []

  /** Messages of the user in a row become one. An empty one is marked as such, unless there is another beside it. */
  addUser(text: string): void {
    const last = this.#messages.at(-1)
    const isEmpty = text.trim() === ''
    if (last?.role !== 'user') this.#messages.push({ role: 'user', content: isEmpty ? emptyMessage : text })
    else if (!isEmpty) last.content = last.content === emptyMessage ? text : `${last.content}\n\n${text}`
  }

  /** Answers of the model in a row become one. An empty one is left out. */
  addAssistant(text: string, calls: readonly ToolCallPart[]): void {
    const isEmpty = text.trim() === ''
    if (isEmpty && calls.length === 0) return
    const last = this.#messages.at(-1)
    const before = last?.role === 'assistant' ? this.#messages.pop() : undefined
    const content = [before?.content, isEmpty ? undefined : text]
      .filter((part) => part !== undefined)
      .join('\n\n')
    if (calls.length === 0) this.#messages.push({ role: 'assistant', content })
    else {
      const texts = content === '' ? [] : [{ type: 'text' as const, text: content }]
      this.#messages.push({ role: 'assistant', content: [...texts, ...calls] })
    }
  }

  addToolResults(results: readonly ToolResultPart[]): void {
    this.#messages.push({ role: 'tool', content: [...results] })
  }

  toMessages(): ModelMessage[] {
    const [first] = this.#messages
    if (first?.role === 'user') return this.#messages
    return [{ role: 'user', content: beginning }, ...this.#messages]
  }
}
