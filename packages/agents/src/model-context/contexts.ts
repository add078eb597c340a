import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { ClassWithOptions } from '../component/to-config.ts'
import { interruptionOf, type Message, outputMessage, textOf } from '../message/message.ts'
import { draftSchema } from '../message/sent-and-received.ts'
import { outputText, toolCallsOf, toolResultsOf } from '../message/tool-parts.ts'
import { isFunction } from '../model/model-request.ts'
import {
  BaseModelContext,
  type ContextOptions,
  estimateTokens,
  groupToolMessages,
  takeNewest,
  takeOldest,
} from './model-context.ts'

/** Base class of a context with options, which the shape checks and completes. The class gives its `provider` and `select`. */
function contextWith<Options extends object = object>(
  shape: z.ZodRawShape,
): ClassWithOptions<Options & ContextOptions, BaseModelContext<Options>> {
  const schema = z.strictObject({ initialMessages: z.array(draftSchema).default([]), ...shape })
  abstract class ConfiguredContext extends BaseModelContext<Options> {
    constructor(options: unknown = {}) {
      super(parseOptions(schema, options, new.target.name) as never)
    }
  }
  return ConfiguredContext as never
}

/** Lets a model read all messages. @throws FencedError `INVALID_OPTIONS`. */
export class UnboundedChatCompletionContext extends contextWith({}) {
  static readonly provider: string = 'UnboundedChatCompletionContext'

  select(messages: readonly Message[]): readonly Message[] {
    return messages
  }
}

const size = z.int().positive()

/**
 * Lets a model read the newest messages. Tool calls and their results are kept together, so the model may read fewer messages
 * than the limit. It reads more only if the newest message and the call that it answers exceed the limit by themselves.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class BufferedChatCompletionContext extends contextWith<{
  /** Maximum number of messages that a model reads. */
  readonly bufferSize: number
}>({ bufferSize: size }) {
  static readonly provider: string = 'BufferedChatCompletionContext'

  select(messages: readonly Message[]): readonly Message[] {
    return chosenOf(messages, takeNewest(groupToolMessages(messages), this.options.bufferSize))
  }
}

/**
 * Lets a model read the beginning of a conversation, which often contains the task, and the end. A message in place of the
 * omitted ones states their number. Tool calls and their results are kept together, and the newest message is always included
 * with the call that it answers.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class HeadAndTailChatCompletionContext extends contextWith<{
  /** Maximum number of the oldest messages that a model reads. */
  readonly headSize: number
  /** Maximum number of the newest messages that a model reads. */
  readonly tailSize: number
}>({ headSize: size, tailSize: size }) {
  static readonly provider: string = 'HeadAndTailChatCompletionContext'

  select(messages: readonly Message[]): readonly Message[] {
    const { headSize, tailSize } = this.options
    if (messages.length <= headSize + tailSize) return messages
    const groups = groupToolMessages(messages)
    const tail = takeNewest(groups, tailSize)
    const head = takeOldest(groups.slice(0, groups.length - tail.length), headSize)
    const chosen = new Set([...head, ...tail].flat())
    if (chosen.size === messages.length) return messages
    const gap = messages.findIndex((_, position) => !chosen.has(position))
    return messages.flatMap((message, position) => {
      if (position === gap) return [placeholder(messages.length - chosen.size)]
      return chosen.has(position) ? [message] : []
    })
  }
}

function placeholder(count: number): Message {
  const content = count === 1 ? '(1 message is left out here.)' : `(${count} messages are left out here.)`
  // Without a source, it does not count as a speaker.
  return outputMessage('', content)
}

/**
 * Lets a model read the messages that fit in a number of tokens. Messages are left out from the middle, and tool calls together
 * with their results. The newest message is always included with the call that it answers, even if it exceeds the limit: the
 * model's provider then reports the error.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenLimitedChatCompletionContext extends contextWith<{
  /** Maximum number of tokens in the messages. Instructions and tools are not counted. */
  readonly tokenLimit: number
  /**
   * Counts the tokens in a text with your model's tokenizer, such as `countTokens` from `gpt-tokenizer`, or
   * `(text) => encoding.encode(text).length` with `js-tiktoken`. Each message counts 4 additional tokens for its envelope.
   *
   * @default an estimate, the number of bytes divided by three
   */
  readonly countTokens?: CountTokens | undefined
}>({ tokenLimit: size, countTokens: z.custom(isFunction, 'must be a function').optional() }) {
  static readonly provider: string = 'TokenLimitedChatCompletionContext'
  /** The tokens of each message, counted once. */
  readonly #known = new WeakMap<Message, number>()

  async select(messages: readonly Message[]): Promise<readonly Message[]> {
    const tokens: number[] = []
    for (const message of messages) tokens.push(await this.#tokensOf(message))
    const sum = (positions: readonly number[]) =>
      positions.reduce((total, position) => total + (tokens[position] ?? 0), 0)
    const groups = [...groupToolMessages(messages)]
    let total = sum([...tokens.keys()])
    while (total > this.options.tokenLimit && groups.length > 1) {
      // Of two it is the older one.
      const [left = []] = groups.splice(Math.floor((groups.length - 1) / 2), 1)
      total -= sum(left)
    }
    return chosenOf(messages, groups)
  }

  /** @throws FencedError `INVALID_TOKEN_COUNT`; what the function throws that counts. */
  async #tokensOf(message: Message): Promise<number> {
    const { countTokens = estimateTokens } = this.options
    const known = this.#known.get(message)
    if (known !== undefined) return known
    let tokens = tokensPerMessage
    for (const text of textsOf(message)) tokens += checked(await countTokens(text))
    this.#known.set(message, tokens)
    return tokens
  }
}

function chosenOf(messages: readonly Message[], groups: readonly (readonly number[])[]): readonly Message[] {
  const chosen = new Set(groups.flat())
  return messages.filter((_, position) => chosen.has(position))
}

/** Returns the number of tokens in a text. */
export type CountTokens = (text: string) => number | Promise<number>

/** What providers put around a message. */
const tokensPerMessage = 4

function textsOf(message: Message): string[] {
  const { role, source, content } = message
  const calls = toolCallsOf(message).flatMap((call) => [call.name, JSON.stringify(call.input) ?? ''])
  const parts = role === 'assistant' && typeof content !== 'string' ? content : []
  const thoughts = parts.map((part) => (part.type === 'reasoning' ? part.text : ''))
  // A model reads the names of the others.
  const name = role === 'user' && source !== 'user' ? source : ''
  const answers = toolResultsOf(message).map(({ output }) => outputText(output))
  const said = role === 'tool' ? [interruptionOf(message) ?? '', ...answers] : [textOf(message)]
  return [...said, name, ...calls, ...thoughts].filter((text) => text !== '')
}

function checked(tokens: number): number {
  if (Number.isFinite(tokens) && tokens >= 0) return tokens
  throw new FencedError({
    code: 'INVALID_TOKEN_COUNT',
    message: `countTokens returned ${tokens}. It must return a finite number that is at least 0.`,
    data: { value: `${tokens}` },
  })
}
