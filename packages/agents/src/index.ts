export type {
  CodeExecutionConfig,
  ConversableAgentOptions,
  HumanInputMode,
} from './agent/agent-options.ts'
export { AssistantAgent } from './agent/assistant-agent.ts'
export { ConversableAgent, type GenerateReplyOptions, type SendOptions } from './agent/conversable-agent.ts'
export type { AgentHooks, HookName } from './agent/hooks.ts'
export type { NamedExecutor } from './agent/option-schemas.ts'
export { UserProxyAgent } from './agent/user-proxy-agent.ts'
export type { Carryover } from './chat/carryover.ts'
export type { ReplyChat } from './chat/chat-context.ts'
export type { ChatEvent } from './chat/chat-event.ts'
export type { ChatResult } from './chat/chat-result.ts'
export type {
  ConversationOptions,
  FirstMessage,
  FirstMessageContext,
  InitiateChatOptions,
} from './chat/initiate-chat.ts'
export { type ChatQueueEntry, type InitiateChatsOptions, initiateChats } from './chat/initiate-chats.ts'
export type { NestedChat, NestedMessageContext } from './chat/nested-chats.ts'
export type { Chat } from './chat/run-chat.ts'
export type { SummaryArgs, SummaryContext, SummaryMethod } from './chat/summary.ts'
export { type ConsoleViewOptions, consoleView } from './console/console-view.ts'
export type { TranscriptOutput } from './console/look.ts'
export type { HumanInput, HumanInputRequest } from './human-input/human-input.ts'
export { type HumanInputScript, ScriptedHumanInput } from './human-input/scripted-human-input.ts'
export { TerminalHumanInput, type TerminalHumanInputOptions } from './human-input/terminal-human-input.ts'
export type { ChatMessage, MessageInput, ToolCall, ToolResponse } from './message/chat-message.ts'
export { endsWithTermination } from './message/termination.ts'
export type { ModelOptions } from './model/model-options.ts'
export type { ModelEvent } from './model/model-reply.ts'
export type { Price, PriceTable, Usage, UsageSummary } from './model/usage.ts'
export { checkTerminationAndHumanReply } from './reply/check-termination-and-human-reply.ts'
export { generateCodeExecutionReply } from './reply/generate-code-execution-reply.ts'
export { generateModelReply } from './reply/generate-model-reply.ts'
export { generateToolCallsReply } from './reply/generate-tool-calls-reply.ts'
export type { ReplyContext, ReplyFunction, ReplyOutcome, ReplyTrigger } from './reply/reply-function.ts'
export type { RegisterReplyOptions } from './reply/reply-functions.ts'
export type { AgentTool, ToolCallOptions, ToolDescription, ToolModelOutput } from './tool/agent-tool.ts'
export { registerFunction, type ToolRoles } from './tool/agent-tools.ts'
export {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from './tool/code-execution-tool.ts'
