import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import type { LanguageModel } from 'ai'

/** The AI SDK's interface of a model, taken from the type that it is used by. */
type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>
type CallOptions = Parameters<Model['doStream']>[0]
type Prompt = CallOptions['prompt']
type StreamResult = Awaited<ReturnType<Model['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never
type GenerateResult = Awaited<ReturnType<Model['doGenerate']>>

/** An answer of a {@link ScriptedModel}: a text, or tool calls with an optional text before them. */
export type ScriptedAnswer =
  | string
  | {
      readonly text?: string | undefined
      readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[]
    }

/** Options of {@link ScriptedModel}. */
export interface ScriptedModelOptions {
  /** Id of the model. @default 'scripted' */
  readonly modelId?: string | undefined
  /** Delay before each word, in milliseconds. @default 0 */
  readonly wordDelayMs?: number | undefined
}

/** A long conversation would fill the memory with itself again and again. */
const keptPrompts = 100

/**
 * An AI SDK language model that gives scripted answers word by word, for tests, examples and demonstrations. A script is a list
 * of answers, or a function of the call number and the prompt. Usage is counted in words. Calls after the last answer fail with
 * `SCRIPT_ENDED`.
 */
export class ScriptedModel implements Model {
  readonly specificationVersion = 'v4'
  readonly provider = 'fenced'
  readonly modelId: string
  readonly supportedUrls: Model['supportedUrls'] = {}
  /** Prompts of the latest 100 calls. */
  readonly prompts: Prompt[] = []
  #calls = 0
  readonly #answer: (call: number, prompt: Prompt) => ScriptedAnswer | Promise<ScriptedAnswer>
  readonly #wordDelayMs: number

  constructor(
    script:
      | readonly ScriptedAnswer[]
      | ((call: number, prompt: Prompt) => ScriptedAnswer | Promise<ScriptedAnswer>),
    options: ScriptedModelOptions = {},
  ) {
    const { modelId = 'scripted', wordDelayMs = 0 } = knownOptions(
      options,
      { modelId: true, wordDelayMs: true },
      'ScriptedModel',
    )
    this.modelId = modelId
    this.#wordDelayMs = wordDelayMs
    this.#answer =
      typeof script === 'function' ? script : (call) => script[call] ?? scriptEnded(script.length)
  }

  async doStream({ prompt, abortSignal }: CallOptions): Promise<StreamResult> {
    const parts = await this.#parts(prompt)
    const delayMs = this.#wordDelayMs
    async function* stream(): AsyncGenerator<StreamPart> {
      yield { type: 'stream-start', warnings: [] }
      for (const part of parts) {
        abortSignal?.throwIfAborted()
        if (delayMs > 0 && part.type === 'text-delta')
          await sleep(delayMs, undefined, { signal: abortSignal })
        yield part
      }
    }
    return { stream: ReadableStream.from(stream()) as StreamResult['stream'] }
  }

  async doGenerate({ prompt, abortSignal }: CallOptions): Promise<GenerateResult> {
    abortSignal?.throwIfAborted()
    const parts = await this.#parts(prompt)
    const text = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('')
    const calls = parts.filter((part) => part.type === 'tool-call')
    const finish = parts.find((part) => part.type === 'finish')
    if (finish === undefined) throw new TypeError('Every answer has an end.')
    const { finishReason, usage } = finish
    return { content: [{ type: 'text', text }, ...calls], finishReason, usage, warnings: [] }
  }

  async #parts(prompt: Prompt): Promise<StreamPart[]> {
    const call = this.#calls++
    this.prompts.push(prompt)
    if (this.prompts.length > keptPrompts) this.prompts.shift()
    const answer = await this.#answer(call, prompt)
    const { text = '', toolCalls = [] } = typeof answer === 'string' ? { text: answer } : answer
    const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text])
    return [
      { type: 'text-start', id: 'text' },
      ...words.map((delta): StreamPart => ({ type: 'text-delta', id: 'text', delta })),
      { type: 'text-end', id: 'text' },
      ...toolCalls.map(
        ({ name, input }, index): StreamPart => ({
          type: 'tool-call',
          toolCallId: `call-${call + 1}-${index + 1}`,
          toolName: name,
          input: typeof input === 'string' ? input : JSON.stringify(input),
        }),
      ),
      {
        type: 'finish',
        finishReason: { unified: toolCalls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
        usage: usageOf(promptWords(prompt), words.length),
      },
    ]
  }
}

function scriptEnded(length: number): never {
  throw new FencedError({
    code: 'SCRIPT_ENDED',
    message: `The scripted model has ${length} answers, but was asked once more.`,
    data: { count: `${length}` },
  })
}

/** Of texts; what a call of a tool or its answer holds is not counted. */
function promptWords(prompt: Prompt): number {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : '')),
  )
  return texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
}

function usageOf(inputWords: number, outputWords: number): GenerateResult['usage'] {
  return {
    inputTokens: { total: inputWords, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: outputWords, text: undefined, reasoning: undefined },
  }
}
