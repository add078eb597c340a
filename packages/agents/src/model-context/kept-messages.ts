import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { z } from 'zod'
import { configOfOptions } from '../configuration/kind-of.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessageSchema } from '../message/chat-message-schema.ts'
import { readState } from '../task/read-state.ts'
import type { ModelContext, ModelContextState } from './model-context.ts'

const stateSchema = z.strictObject({
  type: z.literal('ModelContext'),
  version: z.literal(1),
  messages: z.array(chatMessageSchema),
})

/** A model context that keeps everything, and leaves open what of it is handed out. */
export abstract class KeptMessages implements ModelContext {
  readonly #initial: readonly ChatMessage[]
  #messages: ChatMessage[]

  constructor(initialMessages: readonly ChatMessage[]) {
    this.#initial = [...initialMessages]
    this.#messages = [...initialMessages]
  }

  async add(message: ChatMessage): Promise<void> {
    this.#messages.push(message)
  }

  async messages(): Promise<readonly ChatMessage[]> {
    return await this.choose([...this.#messages])
  }

  /** Forgets everything but what it began with. */
  async clear(): Promise<void> {
    this.#messages = [...this.#initial]
  }

  async saveState(): Promise<ModelContextState> {
    return { type: 'ModelContext', version: 1, messages: [...this.#messages] }
  }

  /** Any of the model contexts takes what any of them has saved. @throws FencedError `INVALID_STATE`. */
  async loadState(state: ModelContextState): Promise<void> {
    this.#messages = readState(stateSchema, state, 'model context').messages
  }

  /**
   * What it is made of, for `loadComponent`: not what it keeps, which is its state.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for one with a function.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return configOfOptions(this, options)
  }

  /** What a model is to read of the messages, which are a copy. */
  protected abstract choose(
    messages: readonly ChatMessage[],
  ): readonly ChatMessage[] | Promise<readonly ChatMessage[]>
}

/**
 * The newest groups that hold no more messages than `size` together. The very newest is among them however large it is: a
 * model that is asked without it would answer to something else.
 */
export function newestWithin(groups: readonly (readonly number[])[], size: number): (readonly number[])[] {
  const newest = [...groups.slice(-1)]
  let count = newest[0]?.length ?? 0
  for (const group of groups.slice(0, -1).toReversed()) {
    count += group.length
    if (count > size) break
    newest.push(group)
  }
  return newest
}

/**
 * The messages by their positions, those together that a model understands only together: calls of tools and the
 * answers to them. In the order of the last message of each. An id that is used again means its newest call.
 */
export function linkedMessages(messages: readonly ChatMessage[]): readonly (readonly number[])[] {
  const links: Link[] = []
  const open = new Map<string, Link[]>()
  for (const [position, { toolCalls = [], toolResponses = [] }] of messages.entries()) {
    const link: Link = { positions: [position] }
    links.push(link)
    for (const { toolCallId } of toolResponses) {
      const call = open.get(toolCallId)?.shift()
      if (call !== undefined) join(call, link)
    }
    for (const { id } of toolCalls) open.delete(id)
    for (const { id } of toolCalls) open.set(id, [...(open.get(id) ?? []), link])
  }
  const groups = new Set(links.map((link) => rootOf(link).positions))
  return [...groups].sort((one, other) => lastOf(one) - lastOf(other))
}

/** A message, and after it was joined with others the way to all of them. */
interface Link {
  positions: number[]
  joined?: Link
}

function join(one: Link, other: Link): void {
  const [from, to] = [rootOf(one), rootOf(other)]
  if (from === to) return
  to.positions = [...from.positions, ...to.positions].sort((a, b) => a - b)
  from.joined = to
}

function rootOf(link: Link): Link {
  let root = link
  while (root.joined !== undefined) root = root.joined
  return root
}

function lastOf(positions: readonly number[]): number {
  return positions.at(-1) ?? 0
}
