import {
  type AssistantContent,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type OutputInterface,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai'
import type { ModelEvent } from '../event.ts'
import { isOwnCall, type ToolCall } from '../message/tool-parts.ts'
import { type PriceTable, usageOfCall } from '../usage.ts'
import { isRefusal, modelIdOf, modelRefused } from './model-errors.ts'
import type { ModelOptions, ModelReply } from './model-request.ts'
import { quietModel } from './quiet-model.ts'
import type { ModelPrompt } from './to-model-messages.ts'
import { readToolCall, repairToolCall } from './tool-calls.ts'

/** How long a stream that has reported an error may still report its usage. */
const usageGraceMs = 500

export interface ModelCall {
  readonly model: LanguageModel
  readonly prompt: ModelPrompt
  readonly tools?: ToolSet | undefined
  readonly output?: OutputInterface | undefined
  readonly modelOptions: ModelOptions
  readonly prices: PriceTable | undefined
  /** Whether its answer begins in the middle of reasoning. @default false */
  readonly startsInReasoning?: boolean | undefined
  readonly signal: AbortSignal
  readonly tell: (event: ModelEvent) => Promise<void>
}

export type CallOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: unknown }

/**
 * Asks one model once. Its failure is an outcome, since another model may follow.
 *
 * @throws the signal's reason; what `tell` throws; FencedError `MODEL_REFUSED`.
 */
export async function callModel(call: ModelCall): Promise<CallOutcome<ModelReply>> {
  const { model, prices, signal, tell } = call
  const modelId = modelIdOf(model)
  const answer = await listen(call)
  signal.throwIfAborted()
  const { text, toolCalls, finishReason, usage, failure } = answer
  const isUsageTold = usage?.inputTokens !== undefined || usage?.outputTokens !== undefined
  if (usage !== undefined && (isUsageTold || failure === undefined)) {
    await tell({ type: 'usage', modelId, usage: usageOfCall(usage, modelId, prices) })
  }

  if (failure !== undefined) {
    if (isRefusal(failure.error)) throw modelRefused(model, { said: text, cause: failure.error })
    return { ok: false, error: failure.error }
  }
  switch (finishReason) {
    case 'content-filter':
      throw modelRefused(model, { said: text })
    case 'stop':
    case 'length':
    case 'tool-calls':
    case 'other':
      return {
        ok: true,
        value: { text, content: answer.content, toolCalls, modelId, finishReason },
      }
    case 'interrupted':
      return { ok: false, error: new Error('The answer was cut off before its end.') }
    default:
      return { ok: false, error: new Error('The provider ended the answer with an error.') }
  }
}

async function listen(call: ModelCall): Promise<Answer> {
  call.signal.throwIfAborted()
  const answer = new Answer()
  const ending = new AbortController()
  const end = () => ending.abort(call.signal.reason)
  // `AbortSignal.any` would leave a trace of every request on a signal that lives longer.
  call.signal.addEventListener('abort', end, { once: true })
  let grace: NodeJS.Timeout | undefined
  try {
    for await (const part of partsOf(call, ending.signal)) {
      const event = answer.add(part)
      if (event !== undefined) await call.tell(event)
      if (answer.failure !== undefined) grace ??= setTimeout(() => ending.abort(), usageGraceMs)
    }
    return answer
  } finally {
    clearTimeout(grace)
    call.signal.removeEventListener('abort', end)
    ending.abort()
  }
}

/** The stream of the AI SDK, in which everything that goes wrong is a part. */
async function* partsOf(
  {
    model,
    prompt,
    tools,
    output,
    startsInReasoning,
    modelOptions: { toolChoice, ...modelOptions },
  }: ModelCall,
  abortSignal: AbortSignal,
): AsyncGenerator<AnswerStreamPart> {
  try {
    const result = streamText({
      ...modelOptions,
      ...prompt,
      ...(tools === undefined ? {} : { tools, repairToolCall }),
      ...(tools === undefined || toolChoice === undefined ? {} : { toolChoice }),
      ...(output === undefined ? {} : { output }),
      model: quietModel(model, { startsInReasoning }),
      abortSignal,
      // Without it the AI SDK prints the error.
      onError: () => {},
    })
    let hasFailed = false
    for await (const part of result.stream) {
      hasFailed ||= part.type === 'error' || part.type === 'abort'
      yield part
    }
    if (!hasFailed) yield { type: 'messages', messages: await result.responseMessages }
  } catch (error) {
    yield { type: 'error', error }
  }
}

/** What is heard of an answer: the stream of the AI SDK, and at its end the messages that the SDK makes of it. */
type AnswerStreamPart =
  | TextStreamPart<ToolSet>
  | { readonly type: 'messages'; readonly messages: readonly ModelMessage[] }

/** What has come of an answer so far. */
class Answer {
  text = ''
  readonly toolCalls: ToolCall[] = []
  #messages: readonly ModelMessage[] = []
  /** As the AI SDK has it; absent before the end. */
  finishReason: string | undefined
  usage: LanguageModelUsage | undefined
  /** Why it is no answer. */
  failure: { readonly error: unknown } | undefined

  add(part: AnswerStreamPart): ModelEvent | undefined {
    switch (part.type) {
      case 'text-delta':
        this.text += part.text
        return this.#delta('text-delta', part.text)
      case 'reasoning-delta':
        return this.#delta('reasoning-delta', part.text)
      case 'tool-call':
        // Calls that the provider executes have ended already.
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

/** Whether an answer reached the token limit. An answer that ends with tool calls is complete. */
export function isCut({ finishReason, toolCalls }: Pick<ModelReply, 'finishReason' | 'toolCalls'>): boolean {
  return finishReason === 'length' && toolCalls.length === 0
}

/** What a reason for an end says of an answer that is empty, or has no end; `undefined` of any other. */
export function describeUnfinished({
  text,
  toolCalls,
  finishReason,
  modelId,
}: ModelReply): string | undefined {
  if (finishReason === 'length') {
    return `The last answer of ${modelId} was cut off at its token limit: raise modelOptions.maxOutputTokens, or ask for less.`
  }
  return text.trim() === '' && toolCalls.length === 0 ? `The last answer of ${modelId} is empty.` : undefined
}
