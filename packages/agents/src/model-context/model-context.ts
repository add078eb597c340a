import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { configOfOptions } from '../component/to-config.ts'
import { type Message, type MessageDraft, plainMessage } from '../message/message.ts'
import { messageSchema } from '../message/sent-and-received.ts'
import { pairToolAnswers } from '../message/tool-parts.ts'
import { readState } from '../task/agent-state.ts'

/**
 * Selects the messages that a model reads in a conversation, never separating a tool call from its results. A `CodeExecutorAgent`
 * stores its conversation here. A `ConversableAgent` stores its conversations itself and only calls `select`.
 */
export interface ModelContext {
  add(message: Message): Promise<void>
  /** Returns the messages for the model, oldest first. */
  messages(): Promise<readonly Message[]>
  /** Selects the messages for the model from a conversation that the context does not store. */
  select(messages: readonly Message[]): readonly Message[] | Promise<readonly Message[]>
  clear(): Promise<void>
  saveState(): Promise<ModelContextState>
  /** @throws FencedError `INVALID_STATE`. */
  loadState(state: ModelContextState): Promise<void>
}

/** The state of a context, as plain data. */
export interface ModelContextState {
  readonly type: 'ModelContext'
  readonly version: 3
  readonly messages: readonly Message[]
}

/** Options of every model context. */
export interface ContextOptions {
  /**
   * Messages that the context starts with, and is reset to when it is cleared: AI SDK messages, with or without an envelope.
   *
   * @default none
   */
  readonly initialMessages?: readonly MessageDraft[] | undefined
}

const stateSchema = z.lazy(() =>
  z.strictObject({
    type: z.literal('ModelContext'),
    version: z.literal(3),
    messages: z.array(messageSchema),
  }),
)

/** A model context that keeps everything, and leaves open what of it is handed out. */
export abstract class BaseModelContext<Options extends object> implements ModelContext {
  readonly options: Options & { readonly initialMessages: readonly Message[] }
  #messages: Message[]

  constructor(options: BaseModelContext<Options>['options']) {
    this.options = options
    this.#messages = [...options.initialMessages]
  }

  async add(message: Message): Promise<void> {
    this.#messages.push(plainMessage(message))
  }

  async messages(): Promise<readonly Message[]> {
    return await this.select([...this.#messages])
  }

  /** Forgets all messages except the initial ones. */
  async clear(): Promise<void> {
    this.#messages = [...this.options.initialMessages]
  }

  async saveState(): Promise<ModelContextState> {
    return { type: 'ModelContext', version: 3, messages: [...this.#messages] }
  }

  /** Restores the state that any kind of model context saved. @throws FencedError `INVALID_STATE`. */
  async loadState(state: ModelContextState): Promise<void> {
    this.#messages = readState(stateSchema, state, 'model context').messages
  }

  /**
   * Returns the context as data for `loadComponent`, without its messages, which are its state.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for a context with a function.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return configOfOptions(this, options)
  }

  abstract select(messages: readonly Message[]): readonly Message[] | Promise<readonly Message[]>
}

/**
 * The newest groups with at most `size` messages in total. The newest group is always included: without it, a model would answer
 * a different message.
 */
export function takeNewest(groups: Groups, size: number): Groups {
  const [newest, ...others] = groups.toReversed()
  return newest === undefined ? [] : [newest, ...takeOldest(others, size - newest.length)]
}

/** The first groups that hold no more messages than `size` together. */
export function takeOldest(groups: Groups, size: number): Groups {
  let count = 0
  const end = groups.findIndex((group) => {
    count += group.length
    return count > size
  })
  return end === -1 ? groups : groups.slice(0, end)
}

/** Messages by their positions, in groups that a model reads together. */
type Groups = readonly (readonly number[])[]

/**
 * The messages by their positions, those together that a model understands only together: calls of tools, their approvals and
 * their results. In the order of the last message of each.
 */
export function groupToolMessages(messages: readonly Message[]): Groups {
  const groups = messages.map((_, position) => [position])
  const join = (earlier: number, later: number) => {
    const [from = [], to = []] = [groups[earlier], groups[later]]
    if (from === to) return
    to.push(...from)
    for (const member of from) groups[member] = to
  }
  for (const [position, { toCalls }] of pairToolAnswers(messages).entries())
    for (const answer of toCalls) join(position, answer?.position ?? position)
  const asked = new Map<string, number>()
  for (const [position, { content }] of messages.entries())
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-approval-request') asked.set(part.approvalId, position)
      if (part.type === 'tool-approval-response') join(asked.get(part.approvalId) ?? position, position)
    }
  return [...new Set(groups)]
    .map((positions) => positions.sort((one, other) => one - other))
    .sort((one, other) => lastOf(one) - lastOf(other))
}

function lastOf(positions: readonly number[]): number {
  return positions.at(-1) ?? 0
}

const bytesPerToken = 3

/**
 * How many tokens a text has, more or less: its bytes in UTF-8, divided by three. That is some more than tokenizers count
 * for English and for code, and about as much for languages with one token for a character.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
