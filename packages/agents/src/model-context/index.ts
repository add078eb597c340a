// What a model reads of a long conversation.

export {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from './contexts.ts'
export type { ModelContext, ModelContextState } from './model-context.ts'
