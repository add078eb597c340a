import type { ModelCallTrace } from '@fenced/core'
import { traced } from '@fenced/core/internal'
import { untilAborted } from '@fenced/shared'
import type { LanguageModel } from 'ai'
import type { ModelEvent } from '../event.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { type PriceTable, type Usage, UsageMeter } from '../usage.ts'
import { type CallOutcome, callModel, type ModelCall } from './call-model.ts'
import { allModelsFailed, describeFailure, type ModelFailure, modelIdOf } from './model-errors.ts'
import type { AskOptions, ModelOptions, ModelReply, ModelRequest } from './model-request.ts'
import { type ObjectReply, type ObjectRequest, objectCaller } from './structured-output.ts'
import { toModelMessages } from './to-model-messages.ts'
import { toToolSet } from './tool-calls.ts'

export interface ModelClientOptions {
  /** One model, or several: when one fails, the next one answers. Every request begins with the first. */
  readonly model: LanguageModel | readonly LanguageModel[]
  readonly modelOptions?: ModelOptions | undefined
  readonly prices?: PriceTable | undefined
  readonly startsInReasoning?: boolean | undefined
}

/**
 * Asks language models of the AI SDK. It keeps nothing of a request and may be used for many at the same time.
 *
 * A model fails with an error of its provider (after the AI SDK's own retries, `modelOptions.maxRetries`), when it takes
 * longer than `modelOptions.timeout`, and when its stream breaks off or cannot be read. An empty answer is an answer.
 */
export class ModelClient {
  readonly #models: readonly LanguageModel[]
  readonly #modelOptions: ModelOptions
  readonly #prices: PriceTable | undefined
  readonly #startsInReasoning: boolean
  readonly #secrets: readonly string[]

  constructor({ model, modelOptions = {}, prices, startsInReasoning = false }: ModelClientOptions) {
    this.#models = [model].flat()
    this.#modelOptions = modelOptions
    this.#prices = prices
    this.#startsInReasoning = startsInReasoning
    this.#secrets = Object.values(modelOptions.headers ?? {}).filter((value) => value !== undefined)
  }

  /**
   * Asks for an answer: text, calls of tools, or both. Tools are not run.
   *
   * @throws FencedError `MODEL_FAILED` when every model failed, naming each with its reason; `MODEL_REFUSED` when a
   *   content filter stopped the answer, without asking the next model; the signal's reason; what `onEvent` throws.
   */
  async ask(request: ModelRequest, options: AskOptions = {}): Promise<ModelReply> {
    const { instructions, messages, pictures } = request
    const prompt = toModelMessages({ instructions, messages, pictures })
    const tools = toToolSet(request.tools)
    const startsInReasoning = this.#startsInReasoning
    return await this.#ask(options, (call) => callModel({ ...call, prompt, tools, startsInReasoning }))
  }

  /**
   * Asks for an object that fits a schema. Its text is not an event.
   *
   * @throws as `ask`; FencedError `MODEL_GAVE_NO_OBJECT` when a model answered with something else, and no other had the
   *   object.
   */
  async askObject<Value>(
    request: ObjectRequest<Value>,
    options: AskOptions = {},
  ): Promise<ObjectReply<Value>> {
    const attempt = await objectCaller(request)
    const usage = new UsageMeter()
    const onEvent: AskOptions['onEvent'] = async (event) => {
      if (event.type === 'usage') usage.add(event.modelId, event.usage)
      if (event.type === 'usage' || event.type === 'model-fallback') await options.onEvent?.(event)
    }
    const found = await this.#ask({ ...options, onEvent }, attempt)
    return { ...found, usage: usage.summary() }
  }

  /** Asks one model after the other until one has an answer. */
  async #ask<Value>(
    { signal = new AbortController().signal, onEvent }: AskOptions,
    attempt: (call: Omit<ModelCall, 'prompt' | 'tools'>) => Promise<CallOutcome<Value>>,
  ): Promise<Value> {
    signal.throwIfAborted()
    const tell = async (event: ModelEvent) => {
      const told = onEvent?.(event)
      if (told !== undefined) await untilAborted(told, signal)
    }
    const shared = { modelOptions: this.#modelOptions, prices: this.#prices, signal, tell }
    const failures: ModelFailure[] = []
    for (const [index, model] of this.#models.entries()) {
      const outcome = await tracedCall({ ...shared, model }, attempt)
      if (outcome.ok) return outcome.value
      failures.push({ model, error: outcome.error })
      const next = this.#models[index + 1]
      if (next === undefined) break
      const message = describeFailure(outcome.error, this.#secrets)
      await tell({ type: 'model-fallback', modelId: modelIdOf(model), nextModelId: modelIdOf(next), message })
    }
    throw allModelsFailed(failures, this.#secrets)
  }
}

/** The agent that calls a model, and its run. */
export interface AskingAgent {
  readonly agent: string
  readonly run: RunContext
  readonly addUsage: (modelId: string, usage: Usage) => void
}

/** Asks a model. What happens meanwhile becomes events of the agent; its reasoning is also reported as a whole. */
export async function withModelEvents<Reply>(
  { agent, run, addUsage }: AskingAgent,
  ask: (options: AskOptions) => Promise<Reply>,
): Promise<Reply> {
  let content = ''
  const reply = await ask({
    signal: run.signal,
    onEvent: (event) => {
      if (event.type === 'reasoning-delta') content += event.text
      // What a model that failed has thought does not count.
      if (event.type === 'model-fallback') content = ''
      if (event.type === 'usage') addUsage(event.modelId, event.usage)
      return run.emit({ ...event, agent })
    },
  })
  if (content !== '') await run.emit({ type: 'thought', agent, content })
  return reply
}

type Request = Omit<ModelCall, 'prompt' | 'tools'>

/** Makes one request to a model, as an operation on the tracing channel `fenced:chat`. */
function tracedCall<Value>(
  request: Request,
  call: (request: Request) => Promise<CallOutcome<Value>>,
): Promise<CallOutcome<Value>> {
  const { model, tell } = request
  const provider = typeof model === 'string' ? 'gateway' : model.provider
  const trace: ModelCallTrace = { model: modelIdOf(model), provider }
  return traced('fenced:chat', trace, async () => {
    const outcome = await call({
      ...request,
      tell: (event) => {
        if (event.type === 'usage') trace.usage = event.usage
        return tell(event)
      },
    })
    if (outcome.ok) trace.finishReason = finishReasonOf(outcome.value)
    else trace.failure = outcome.error
    return outcome
  })
}

function finishReasonOf(value: unknown): string | undefined {
  const { finishReason } = Object(value) as { readonly finishReason?: string }
  return finishReason
}
