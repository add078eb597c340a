// What a model reads of a long conversation.

export {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  UnboundedChatCompletionContext,
} from './message-windows.ts'
export type { ModelContext, ModelContextState } from './model-context.ts'
export { TokenLimitedChatCompletionContext } from './token-limited.ts'
