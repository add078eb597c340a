// What a model reads of a long conversation.

export {
  BufferedChatCompletionContext,
  type BufferedContextOptions,
  bufferedContextOptionsSchema,
  HeadAndTailChatCompletionContext,
  type HeadAndTailContextOptions,
  headAndTailContextOptionsSchema,
  UnboundedChatCompletionContext,
  unboundedContextOptionsSchema,
} from './message-windows.ts'
export type { ContextOptions, ModelContext, ModelContextState } from './model-context.ts'
export {
  type CountTokens,
  TokenLimitedChatCompletionContext,
  type TokenLimitedContextOptions,
  tokenLimitedContextOptionsSchema,
} from './token-limited.ts'
