import { boundedText } from '@fenced/core/tool'

/** A message for the model. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** The positions in the log between which the run is that it describes. */
  readonly run?: readonly [start: number, end: number]
}

/** How much of a conversation a model is given, in UTF-16 code units: about 100,000 tokens of English or code. */
export const defaultPromptCharacters = 400_000

/**
 * What a model reads of a conversation: the first message, which has the task, and the newest ones. Older messages are dropped as
 * newer ones are added, so a conversation of any length fits into a request and into memory.
 */
export class PromptWindow {
  readonly #limit: number
  #first: PromptMessage | undefined
  readonly #newest: PromptMessage[] = []
  #length = 0
  #dropped = 0

  /** @param limit - how long all messages are together, at most; the sentence about dropped ones comes on top. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get messages(): readonly PromptMessage[] {
    if (this.#first === undefined) return []
    if (this.#dropped === 0) return [this.#first, ...this.#newest]
    const note = `[${this.#dropped} messages that followed are left out here, because the conversation is long.]`
    return [{ ...this.#first, content: `${this.#first.content}\n\n${note}` }, ...this.#newest]
  }

  add(message: PromptMessage): void {
    const maxLength = Math.floor(this.#limit / 2)
    const bounded = { ...message, content: boundedText(message.content, { maxLength }) }
    this.#length += bounded.content.length
    if (this.#first === undefined) {
      this.#first = bounded
      return
    }
    this.#newest.push(bounded)
    while (this.#length > this.#limit && this.#newest.length > 1) {
      this.#length -= this.#newest.shift()?.content.length ?? 0
      this.#dropped += 1
    }
  }
}
