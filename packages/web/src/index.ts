export type {
  ConversationEvent,
  LoggedEvent,
  RunResult,
} from './event.ts'
export { loggedUIMessageStream } from './export/logged-ui-message-stream.ts'
export { createFencedWeb, type FencedWeb } from './fenced-web.ts'
export type {
  FencedWebOptions,
  WebAgent,
  WebConversation,
  WebExecutor,
  WebExecutorOptions,
  WebModel,
  WebProblem,
} from './options.ts'
export { type ServedFencedWeb, type ServeFencedWebOptions, serveFencedWeb } from './serve.ts'
