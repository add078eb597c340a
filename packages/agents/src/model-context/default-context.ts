import { FencedError } from '@fenced/core'
import { HeadAndTailChatCompletionContext, TokenLimitedChatCompletionContext } from './contexts.ts'
import type { ModelContext } from './model-context.ts'

/** Maximum number of messages that a model reads if its number of tokens is unknown. */
const defaultSize = 400

export interface ModelContextOptions {
  readonly modelContext?: ModelContext | undefined
  readonly maxInputTokens?: number | undefined
}

/** The context of an agent's options. By default, it keeps the first message, which contains the task, and the newest messages. */
export function modelContextOf({ modelContext, maxInputTokens }: ModelContextOptions): ModelContext {
  if (modelContext === undefined)
    return maxInputTokens === undefined
      ? new HeadAndTailChatCompletionContext({ headSize: 1, tailSize: defaultSize - 1 })
      : new TokenLimitedChatCompletionContext({ tokenLimit: maxInputTokens })
  if (maxInputTokens === undefined) return modelContext
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message:
      '`modelContext` and `maxInputTokens` both limit the messages that the model reads. Pass only one of them.',
    data: { option: 'maxInputTokens' },
  })
}
