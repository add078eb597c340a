import { FencedError } from '@fenced/core'
import { hasMadeText } from '../message/made-parts.ts'
import {
  enveloped,
  type Message,
  type MessageDraft,
  type MessageInput,
  textOf,
  withText,
} from '../message/message.ts'
import { toSent } from '../message/sent-and-received.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { copiesOutput, outputsIn, writtenTextOf } from '../message/written-text.ts'
import type { AgentHooks, HookName } from './agent.ts'

/** The hooks of one agent, in the order in which they were registered. */
export class HookList {
  readonly #hooks: { [Name in HookName]: AgentHooks[Name][] } = {
    processMessageBeforeSend: [],
    processLastReceivedMessage: [],
    processAllMessagesBeforeReply: [],
  }

  get isEmpty(): boolean {
    return Object.values(this.#hooks).every((hooks) => hooks.length === 0)
  }

  /** @throws FencedError `INVALID_HOOK` for a name that does not exist, or a function that is registered already. */
  add<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void {
    const hooks = Object.hasOwn(this.#hooks, name) ? this.#hooks[name] : undefined
    const known = Object.keys(this.#hooks).join(', ')
    if (hooks === undefined)
      throw invalidHook(`There is no hook "${name}". Available hooks: ${known}.`, { hook: name, known })
    if (hooks.includes(hook))
      throw invalidHook(`This function is already registered for ${name}.`, { hook: name })
    hooks.push(hook)
  }

  /** @throws FencedError `INVALID_MESSAGE`. */
  async beforeSend(
    message: Message,
    context: Parameters<AgentHooks['processMessageBeforeSend']>[1],
  ): Promise<Message> {
    let sent = message
    for (const hook of this.#hooks.processMessageBeforeSend) {
      const given = await hook(sent, context)
      if (given !== sent) sent = toSent(withOrigin(given, sent), context.sender.name)
    }
    return sent
  }

  async beforeReply(messages: readonly Message[]): Promise<readonly Message[]> {
    let seen = await this.#withLastMessage(messages)
    for (const hook of this.#hooks.processAllMessagesBeforeReply) seen = withOrigins(await hook(seen), seen)
    return seen
  }

  async #withLastMessage(messages: readonly Message[]): Promise<readonly Message[]> {
    const last = messages.at(-1)
    if (last === undefined || last.role === 'tool' || toolCallsOf(last).length > 0) return messages
    const before = textOf(last)
    if (before === '' || writtenTextOf(last) === 'exit') return messages
    let text = before
    for (const hook of this.#hooks.processLastReceivedMessage) text = await hook(text)
    return text === before ? messages : [...messages.slice(0, -1), withText(last, text)]
  }
}

/** A hook's version of a message has the message's origin, unless the hook names another. */
function withOrigin(given: MessageInput, before: Message): MessageInput {
  const message = typeof given === 'string' ? { content: given } : given
  const isUnmarked = hasMadeText(before) && !hasMadeText(message)
  return { ...message, origin: isUnmarked ? 'program' : (message.origin ?? before.origin) }
}

/** A hook's version of the messages: each has the origin of its original, found by id or position. */
function withOrigins(given: readonly MessageDraft[], before: readonly Message[]): Message[] {
  const originals = new Map(before.map((message) => [message.id, message]))
  const outputs = outputsIn(before)
  return given.map((draft, index) => {
    const samePlace = given.length === before.length ? before[index] : undefined
    const original = originals.get(draft.id ?? '') ?? samePlace
    if (original !== undefined) return enveloped(withOrigin(draft, original) as MessageDraft)
    const message = enveloped(draft)
    return copiesOutput(textOf(message), outputs) ? { ...message, origin: 'program' } : message
  })
}

function invalidHook(message: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({ code: 'INVALID_HOOK', message, data })
}
