import { FencedError } from '@fenced/core'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ConversableAgent } from './conversable-agent.ts'

/** What can be hooked into, with what each hook gets and gives back. None of them changes what is kept as history. */
export interface AgentHooks {
  /** Every message before it is sent; what comes back is sent instead. */
  processMessageBeforeSend: (
    message: ChatMessage,
    context: { readonly sender: ConversableAgent; readonly recipient: ConversableAgent },
  ) => ChatMessage | Promise<ChatMessage>
  /** The text of the last message, before a reply to it is made; not for `exit`, tool calls and empty texts. */
  processLastReceivedMessage: (content: string) => string | Promise<string>
  /** All messages, before a reply to them is made; called after `processLastReceivedMessage`. */
  processAllMessagesBeforeReply: (
    messages: readonly ChatMessage[],
  ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>
}

/** The name of a hook. */
export type HookName = keyof AgentHooks

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
    if (hooks === undefined)
      throw invalidHook(`There is no hook "${name}". There are: ${Object.keys(this.#hooks).join(', ')}.`)
    if (hooks.includes(hook)) throw invalidHook(`This function is registered for ${name} already.`)
    hooks.push(hook)
  }

  async beforeSend(
    message: ChatMessage,
    context: Parameters<AgentHooks['processMessageBeforeSend']>[1],
  ): Promise<ChatMessage> {
    let sent = message
    for (const hook of this.#hooks.processMessageBeforeSend) sent = await hook(sent, context)
    return sent
  }

  async beforeReply(messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    let seen = await this.#withLastMessage(messages)
    for (const hook of this.#hooks.processAllMessagesBeforeReply) seen = await hook(seen)
    return seen
  }

  async #withLastMessage(messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    const last = messages.at(-1)
    if (
      last === undefined ||
      last.content === '' ||
      last.content === 'exit' ||
      last.toolCalls !== undefined
    ) {
      return messages
    }
    let { content } = last
    for (const hook of this.#hooks.processLastReceivedMessage) content = await hook(content)
    return content === last.content ? messages : [...messages.slice(0, -1), { ...last, content }]
  }
}

function invalidHook(message: string): FencedError {
  return new FencedError({ code: 'INVALID_HOOK', message })
}
