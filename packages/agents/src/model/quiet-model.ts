import {
  extractReasoningMiddleware,
  gateway,
  type LanguageModel,
  simulateStreamingMiddleware,
  UnsupportedFunctionalityError,
  wrapLanguageModel,
} from 'ai'

/**
 * Wraps a model so that the AI SDK prints no warnings, and so that a stream that ends early is an error: the SDK accepts half an
 * answer. A model that cannot stream returns its whole answer.
 *
 * The SDK prints warnings of providers unless a global variable says otherwise, and that variable belongs to the program. A
 * logger in it still receives the warnings.
 *
 * @param startsInReasoning - Whether the text before `</think>` is reasoning.
 */
export function quietModel(
  model: LanguageModel,
  { startsInReasoning = false }: { readonly startsInReasoning?: boolean | undefined } = {},
): LanguageModel {
  const resolved = typeof model === 'string' ? defaultProvider().languageModel(model) : model
  if (!['v2', 'v3', 'v4'].includes(resolved.specificationVersion)) return resolved
  return withoutWarnings(() =>
    wrapLanguageModel({
      model: resolved,
      middleware: [
        ...(startsInReasoning ? [openedReasoning] : []),
        {
          wrapStream: async (call) => {
            const result = await Promise.resolve(call.doStream()).catch((error: unknown) => {
              if (!cannotStream(resolved, error)) throw error
              return wholeAnswer(call)
            })
            return { ...result, stream: requireFinish(result.stream) }
          },
        },
      ],
    }),
  )
}

const openedReasoning = extractReasoningMiddleware({ tagName: 'think', startWithReasoning: true })

const { wrapStream: wholeAnswer } = simulateStreamingMiddleware() as Required<
  ReturnType<typeof simulateStreamingMiddleware>
>

/** Whether a model has no `doStream`, or reports so: with the error of the AI SDK, or in the words of its test models. */
function cannotStream(model: Exclude<LanguageModel, string>, error: unknown): boolean {
  if (typeof model.doStream !== 'function') return true
  if (UnsupportedFunctionalityError.isInstance(error)) return /stream/i.test(error.functionality)
  return Object(error).message === 'Not implemented'
}

function defaultProvider() {
  return globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway
}

/** Wrapping a model of the old interface warns, before there is a stream to take the warning from. */
function withoutWarnings<T>(wrap: () => T): T {
  const logger = globalThis.AI_SDK_LOG_WARNINGS
  if (typeof logger === 'function') return wrap()
  // No other code runs before the value is restored.
  globalThis.AI_SDK_LOG_WARNINGS = false
  try {
    return wrap()
  } finally {
    globalThis.AI_SDK_LOG_WARNINGS = logger
  }
}

type StreamResult = Awaited<ReturnType<Extract<LanguageModel, { specificationVersion: 'v4' }>['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

function requireFinish(stream: ReadableStream<StreamPart>): ReadableStream<StreamPart> {
  let hasEnd = false
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        if (part.type === 'finish' || part.type === 'error') hasEnd = true
        const isUnheard = part.type === 'stream-start' && typeof globalThis.AI_SDK_LOG_WARNINGS !== 'function'
        controller.enqueue(isUnheard ? { ...part, warnings: [] } : part)
      },
      flush(controller) {
        if (hasEnd) return
        controller.enqueue({ type: 'error', error: new Error('The answer was cut off before its end.') })
      },
    }),
  )
}
