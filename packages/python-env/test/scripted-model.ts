import type { PythonToolInput } from '@fenced/python-env'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

/** What a model answers in one step: calls of the tool `python`, or words. */
export type Answer = readonly PythonToolInput[] | string

type Generated = Exclude<
  NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate'],
  undefined | readonly unknown[] | ((...args: never[]) => unknown)
>
type Streamed = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that gives these answers, one after the other. */
export function scriptedModel(...answers: readonly Answer[]): MockLanguageModelV4 {
  const generated = answers.map((answer, step) => generatedFor(answer, step))
  return new MockLanguageModelV4({
    doGenerate: generated,
    doStream: generated.map((one) => ({ stream: simulateReadableStream({ chunks: partsOf(one) }) })),
  })
}

/** What the model read of the tools that it had called before its last answer, in order. */
export function toolTextsOf({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4) {
  const prompt = [...doGenerateCalls, ...doStreamCalls].at(-1)?.prompt ?? []
  return prompt.flatMap(({ role, content }) =>
    role === 'tool' ? content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])) : [],
  )
}

function generatedFor(answer: Answer, step: number): Generated {
  if (typeof answer === 'string') {
    return {
      content: [{ type: 'text', text: answer }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    }
  }
  return {
    content: answer.map((input, call) => ({
      type: 'tool-call',
      toolCallId: `call-${step}-${call}`,
      toolName: 'python',
      input: JSON.stringify(input),
    })),
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  }
}

function partsOf({ content, finishReason }: Generated): StreamPart[] {
  const parts = content.flatMap((part, index): StreamPart[] => {
    if (part.type !== 'text') return [part as StreamPart]
    const id = String(index)
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ]
  })
  return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]
}
