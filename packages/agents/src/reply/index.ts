// Reply functions, and types for custom ones.

export type {
  Agent,
  AgentHooks,
  HookName,
  RegisterReplyOptions,
  ReplyContext,
  ReplyFunction,
  ReplyOutcome,
  ReplyTrigger,
} from '../agent/agent.ts'
export type { ReplyChat } from '../agent/chat-context.ts'
export { checkTerminationAndHumanReply } from './check-termination-and-human-reply.ts'
export { generateCodeExecutionReply } from './generate-code-execution-reply.ts'
export { generateModelReply } from './generate-model-reply.ts'
export { generateToolCallsReply } from './generate-tool-calls-reply.ts'
