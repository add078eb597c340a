// What a model reads of a long conversation.

export {
  BufferedChatCompletionContext,
  type BufferedContextOptions,
  bufferedContextOptionsSchema,
} from './buffered-chat-completion-context.ts'
export {
  HeadAndTailChatCompletionContext,
  type HeadAndTailContextOptions,
  headAndTailContextOptionsSchema,
} from './head-and-tail-chat-completion-context.ts'
export type { ContextOptions, ModelContext, ModelContextState } from './model-context.ts'
export type { CountTokens } from './token-count.ts'
export {
  TokenLimitedChatCompletionContext,
  type TokenLimitedContextOptions,
  tokenLimitedContextOptionsSchema,
} from './token-limited-chat-completion-context.ts'
export {
  UnboundedChatCompletionContext,
  unboundedContextOptionsSchema,
} from './unbounded-chat-completion-context.ts'
