import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

export type Part = LanguageModelV4StreamPart

/** What a scripted model does when it is called: parts of a stream, or an error before it has one. */
export type Script =
  | readonly Part[]
  | Error
  | ((options: LanguageModelV4CallOptions) => Promise<ReadableStream<Part>>)

/** A model that does one thing of its script per call, and the last one from then on. */
export function mockModel(modelId: string, ...scripts: readonly Script[]): MockLanguageModelV4 {
  let calls = 0
  return new MockLanguageModelV4({
    provider: 'mock',
    modelId,
    doStream: async (options) => {
      const script = scripts[Math.min(calls++, scripts.length - 1)] ?? []
      if (script instanceof Error) throw script
      if (typeof script === 'function') return { stream: await script(options) }
      return {
        stream: simulateReadableStream({ chunks: [...script], initialDelayInMs: null, chunkDelayInMs: null }),
      }
    },
  })
}

export function says(...texts: readonly string[]): Part[] {
  return [...speaks(...texts), finish()]
}

export function speaks(...texts: readonly string[]): Part[] {
  const deltas = texts.map((delta): Part => ({ type: 'text-delta', id: '1', delta }))
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...deltas,
    { type: 'text-end', id: '1' },
  ]
}

export function calls(...toolCalls: readonly { id?: string; name: string; input: string }[]): Part[] {
  return [
    ...toolCalls.map(
      ({ id = 'call-1', name, input }): Part => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input,
      }),
    ),
    finish({ reason: 'tool-calls' }),
  ]
}

type FinishReason = Extract<Part, { type: 'finish' }>['finishReason']['unified']

export function finish({
  reason = 'stop',
  input = 10,
  output = 5,
}: {
  reason?: FinishReason
  input?: number | undefined
  output?: number | undefined
} = {}): Part {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  }
}

/** A stream that tells some parts and then neither ends nor heeds the signal. */
export function hangsAfter(...parts: readonly Part[]): Script {
  return async () =>
    new ReadableStream<Part>({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
      },
    })
}

/** Never even gives a stream. */
export const hangs: Script = () => new Promise(() => {})
