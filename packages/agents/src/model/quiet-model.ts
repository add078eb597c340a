import {
  extractReasoningMiddleware,
  gateway,
  type LanguageModel,
  simulateStreamingMiddleware,
  UnsupportedFunctionalityError,
  wrapLanguageModel,
} from 'ai'

/**
 * The model, without what the AI SDK would print about it, and with an error where its stream ends without having been
 * finished: the SDK takes half an answer for a whole one. One that cannot stream is asked for its whole answer.
 *
 * The SDK prints warnings of providers unless a global says otherwise, and that global belongs to the program. Anyone who
 * has put a logger there gets them all the same.
 *
 * @param startsInReasoning - whether what stands above `</think>` is reasoning and not text.
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

/** No `doStream` at all, or one that says so: as the AI SDK's error, or in the words of its models for tests. */
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
  // Nobody else sees it: it is put back before any other code can run.
  globalThis.AI_SDK_LOG_WARNINGS = false
  try {
    return wrap()
  } finally {
    globalThis.AI_SDK_LOG_WARNINGS = logger
  }
}

type StreamResult = Awaited<
  ReturnType<
    Exclude<
      Parameters<typeof wrapLanguageModel>[0]['model'],
      { specificationVersion: 'v2' | 'v3' }
    >['doStream']
  >
>
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
