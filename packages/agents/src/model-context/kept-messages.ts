import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { z } from 'zod'
import { configOfOptions } from '../configuration/config-of-options.ts'
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
