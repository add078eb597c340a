import type { AssistantContent, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { isOwnCall, type ToolCall } from '../message/tool-parts.ts'
import type { ModelEvent } from './model-request.ts'
import { readToolCall } from './tool-calls.ts'

/** What is heard of an answer: the stream of the AI SDK, and at its end the messages that the SDK makes of it. */
export type AnswerStreamPart =
  | TextStreamPart<ToolSet>
  | { readonly type: 'messages'; readonly messages: readonly ModelMessage[] }

/** What has come of an answer so far. */
export class Answer {
  text = ''
  readonly toolCalls: ToolCall[] = []
  #messages: readonly ModelMessage[] = []
  /** As the AI SDK has it; absent before the end. */
  finishReason: string | undefined
  /** As far as the provider has reported it. */
  usage: LanguageModelUsage | undefined
  /** Why it is no answer. */
  failure: { readonly error: unknown } | undefined

  /** Takes a part of the stream, and returns its event. */
  add(part: AnswerStreamPart): ModelEvent | undefined {
    switch (part.type) {
      case 'text-delta':
        this.text += part.text
        return this.#delta('text-delta', part.text)
      case 'reasoning-delta':
        return this.#delta('reasoning-delta', part.text)
      case 'tool-call':
        // What the provider calls by itself is over already.
        if (part.providerExecuted !== true) this.toolCalls.push(readToolCall(part))
        return undefined
      case 'finish-step':
        this.finishReason = part.finishReason
        this.usage = part.usage
        return undefined
      case 'messages':
        this.#messages = part.messages
        return undefined
      case 'error':
        this.failure ??= { error: part.error }
        return undefined
      case 'abort':
        this.failure ??= {
          error: new DOMException(part.reason ?? 'The request was stopped.', 'TimeoutError'),
        }
        return undefined
      default:
        return undefined
    }
  }

  /** What a message keeps of it, as plain data: its text, or all of its parts where its provider wants more than that back. */
  get content(): AssistantContent {
    const parts = this.#messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content : [],
    )
    if (parts.every((part) => part.type === 'text' && part.providerOptions === undefined)) return this.text
    const calls = this.toolCalls.values()
    // The AI SDK leaves out arguments that are no JSON.
    const whole = parts.map((part) =>
      isOwnCall(part) ? { ...part, input: calls.next().value?.input ?? part.input } : part,
    )
    return JSON.parse(JSON.stringify(whole))
  }

  #delta(type: 'text-delta' | 'reasoning-delta', text: string): ModelEvent | undefined {
    return text === '' || this.failure !== undefined ? undefined : { type, text }
  }
}
