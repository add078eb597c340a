export type { ChatQueueEntry, InitiateChatOptions, NestedChat } from './agent/agent.ts'
export type {
  CodeExecutionConfig,
  ConversableAgentOptions,
  ModelAgentOptions,
} from './agent/agent-options.ts'
export type { Chat } from './agent/chat-context.ts'
export { codeWriterMessage } from './agent/code-instructions.ts'
export { registerFunction } from './agent/registered-functions.ts'
export {
  type ApprovalFunc,
  autoGenClass,
  type CodeExecutionEvent,
  type CodeGenerationEvent,
  type HandoffMessage,
  type ModelClientStreamingChunkEvent,
  type SelectSpeakerEvent,
  type StopMessage,
  type TextMessage,
  type ThoughtEvent,
  type ToolCallExecutionEvent,
  type ToolCallRequestEvent,
  type ToolCallSummaryMessage,
  type UserInputRequestedEvent,
} from './autogen.ts'
export { initiateChats } from './chat/chat-queue.ts'
export { CodeExecutorAgent } from './code-executor-agent/code-executor-agent.ts'
export type { CodeExecutorAgentOptions } from './code-executor-agent/options.ts'
export { ConversableAgent } from './conversable-agent/conversable-agent.ts'
export { AssistantAgent, UserProxyAgent } from './conversable-agent/presets.ts'
export type {
  AgentEvent,
  AgentState,
  ChatResult,
  EventOf,
  OpenQuestion,
  Response,
  TaskResult,
} from './event.ts'
export { approveByPerson } from './human-input/approve-by-person.ts'
export type { HumanInput, HumanInputRequest } from './human-input/human-input.ts'
export { markShown, messagesAbove } from './human-input/readline-human-input.ts'
export { contentWith } from './message/made-parts.ts'
export {
  createMessage,
  type Message,
  type MessageInput,
  type MessageMetadata,
  textOf,
  withText,
} from './message/message.ts'
export { type ToolCall, type ToolResponse, toolCallsOf, toolResponsesOf } from './message/tool-parts.ts'
export { writtenTextOf } from './message/written-text.ts'
export { describeFailure, withoutSecrets } from './model/model-errors.ts'
export type { ModelOptions } from './model/model-request.ts'
export { toModelMessages } from './model/to-model-messages.ts'
export type { QuestionAnswers } from './running/questions.ts'
export type { ChatAgent, TaskRunner, Team } from './task/chat-agent.ts'
export type { ResumeOptions } from './task/suspendable-runner.ts'
export { asChatAgent, asTool, type TaskTool } from './team/as-chat-agent.ts'
export { RoundRobinGroupChat, type RoundRobinGroupChatOptions } from './team/round-robin-group-chat.ts'
export type { AgentTool } from './tool/agent-tool.ts'
export { type ToUIMessageStreamOptions, toUIMessageStream } from './ui/to-ui-message-stream.ts'
export type { AgentUIDataParts, AgentUIMessage } from './ui/ui-message.ts'
export type { PriceTable, Usage, UsageSummary } from './usage.ts'
