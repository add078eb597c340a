import { type LanguageModel, type OutputInterface, streamText, type ToolSet } from 'ai'
import { Answer, type AnswerStreamPart } from './answer.ts'
import { isRefusal, modelRefused } from './model-errors.ts'
import { modelIdOf } from './model-name.ts'
import type { ModelEvent, ModelOptions, ModelReply } from './model-request.ts'
import { quietModel } from './quiet-model.ts'
import type { ModelPrompt } from './to-model-messages.ts'
import { repairToolCall } from './tool-calls.ts'
import type { PriceTable } from './usage.ts'
import { usageOfCall } from './usage.ts'

/** How long a stream that has reported an error may still report its usage. */
const usageGraceMs = 500

/** One request to one model. */
export interface ModelCall {
  readonly model: LanguageModel
  readonly prompt: ModelPrompt
  readonly tools?: ToolSet | undefined
  readonly output?: OutputInterface | undefined
  readonly modelOptions: ModelOptions
  readonly prices: PriceTable | undefined
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
  { model, prompt, tools, output, modelOptions: { toolChoice, ...modelOptions } }: ModelCall,
  abortSignal: AbortSignal,
): AsyncGenerator<AnswerStreamPart> {
  try {
    const result = streamText({
      ...modelOptions,
      ...prompt,
      ...(tools === undefined ? {} : { tools, repairToolCall }),
      ...(tools === undefined || toolChoice === undefined ? {} : { toolChoice }),
      ...(output === undefined ? {} : { output }),
      model: quietModel(model),
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
