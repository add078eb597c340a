export type {
  Carryover,
  ChatQueueEntry,
  ConversationOptions,
  FirstMessage,
  FirstMessageContext,
  GenerateReplyOptions,
  InitiateChatOptions,
  InitiateChatsOptions,
  NestedChat,
  NestedMessageContext,
  SendOptions,
  SummaryArgs,
  SummaryContext,
  SummaryMethod,
} from './agent/agent.ts'
export type {
  CodeExecutionConfig,
  ConversableAgentOptions,
  HumanInputMode,
  ModelAgentOptions,
  NamedExecutor,
} from './agent/agent-options.ts'
export type { Chat } from './agent/chat-context.ts'
export type {
  ApprovalFunc,
  CodeExecutionEvent,
  CodeGenerationEvent,
  HandoffMessage,
  ModelClientStreamingChunkEvent,
  SelectSpeakerEvent,
  StopMessage,
  TextMessage,
  ThoughtEvent,
  ToolCallExecutionEvent,
  ToolCallRequestEvent,
  ToolCallSummaryMessage,
  UserInputRequestedEvent,
} from './autogen.ts'
export { initiateChats } from './chat/chat-queue.ts'
export { CodeExecutorAgent } from './code-executor-agent/code-executor-agent.ts'
export type { CodeExecutorAgentOptions } from './code-executor-agent/options.ts'
export { ConversableAgent } from './conversable-agent/conversable-agent.ts'
export { AssistantAgent, UserProxyAgent } from './conversable-agent/presets.ts'
export { registerFunction, type ToolRoles } from './conversable-agent/register-function.ts'
export type {
  AgentEvent,
  ApprovalChoice,
  ChatResult,
  EventOf,
  Response,
  TaskResult,
} from './event.ts'
export { type ApproveByPersonOptions, approveByPerson } from './human-input/approve-by-person.ts'
export type {
  EmptyAnswer,
  HumanInput,
  HumanInputChoice,
  HumanInputKind,
  HumanInputMessage,
  HumanInputRequest,
} from './human-input/human-input.ts'
export {
  createMessage,
  type Message,
  type MessageDraft,
  type MessageInput,
  type MessageMetadata,
  type MessageOrigin,
  textOf,
  withText,
} from './message/message.ts'
export {
  type Picture,
  type ToolCall,
  type ToolResponse,
  toolCallsOf,
  toolResponsesOf,
} from './message/tool-parts.ts'
export { writtenTextOf } from './message/written-text.ts'
export type { ModelOptions } from './model/model-request.ts'
export type { TeamPrograms } from './running/team-programs.ts'
export type {
  AgentState,
  ChatAgent,
  OnMessagesOptions,
  Participant,
  RunTaskOptions,
  TaskRunner,
  Team,
} from './task/chat-agent.ts'
export type { LoadStateOptions } from './task/saved-questions.ts'
export type { AiSdkAgent, AiSdkParticipantOptions } from './team/ai-sdk-agent.ts'
export { asChatAgent } from './team/as-chat-agent.ts'
export { RoundRobinGroupChat, type RoundRobinGroupChatOptions } from './team/round-robin-group-chat.ts'
export type { AgentTool, ToolCallOptions, ToolDescription, ToolModelOutput } from './tool/agent-tool.ts'
export { type AsToolOptions, asTool, type TaskTool } from './tool/as-tool.ts'
export type { Price, PriceTable, Usage, UsageSummary } from './usage.ts'
