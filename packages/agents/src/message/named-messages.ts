import { type Message, textOf, withText } from './message.ts'

/**
 * The messages of a conversation with the names of their speakers, where an agent hears more than one. Names of earlier messages
 * are kept, so that a turn costs what is new in it.
 */
export class NamedMessages {
  readonly #self: string | undefined
  readonly #speakers = new Set<string>()
  #named: Message[] = []
  #count = 0
  #ends: readonly (Message | undefined)[] = []

  /** @param self - Agent whose messages get no name. */
  constructor(self?: string) {
    this.#self = self
  }

  /** @param messages - The messages of the previous call followed by new messages; or different messages. */
  of(messages: readonly Message[]): readonly Message[] {
    if (!this.#continueIn(messages)) this.#forget()
    const hadNames = this.#hasNames
    const added = messages.slice(this.#count)
    for (const message of added) if (this.#isHeard(message)) this.#speakers.add(message.source)
    this.#count = messages.length
    this.#ends = [messages[0], messages.at(-1)]
    if (!this.#hasNames) return messages
    for (const message of hadNames ? added : messages) this.#named.push(this.#withName(message))
    return this.#named
  }

  get #hasNames(): boolean {
    return this.#speakers.size > 1
  }

  /** Messages are added at the end; histories are also cleared. */
  #continueIn(messages: readonly Message[]): boolean {
    const [first, last] = this.#ends
    return messages.length >= this.#count && messages[0] === first && messages[this.#count - 1] === last
  }

  #forget(): void {
    this.#speakers.clear()
    this.#named = []
    this.#count = 0
  }

  #isHeard({ role, source }: Message): boolean {
    return role === 'user' && source !== this.#self && source !== ''
  }

  /** On a separate line, so that it does not hide the beginning of a code block. */
  #withName(message: Message): Message {
    if (!this.#isHeard(message)) return message
    const named = withText(message, `${message.source}:\n${textOf(message)}`)
    unnamed.set(named, message)
    return named
  }
}

const unnamed = new WeakMap<Message, Message>()

/** A message as its speaker said it: the lines of its blocks are counted there. */
export function withoutName(message: Message): Message {
  return unnamed.get(message) ?? message
}
