export {
  type ApprovalAnswer,
  type ApprovalBlock,
  type ApprovalFile,
  type ApprovalPlace,
  ApprovalQueue,
  type Approve,
  type ApprovedExecutorOptions,
  type Approver,
  approvedExecutor,
  type CodeApprovalRequest,
  RememberedApprovals,
  runApproved,
} from '@fenced/core'
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
export { type ApprovalFunc, approveByFunc } from './approval/approve-by-func.ts'
export { type ApproveByPersonOptions, approveByPerson } from './approval/approve-by-person.ts'
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
export { CodeExecutorAgent } from './code-executor-agent/code-executor-agent.ts'
export type { CodeExecutorAgentOptions } from './code-executor-agent/options.ts'
export { type ComponentKind, registerComponent } from './configuration/component-registry.ts'
export type { ConfigurableClass } from './configuration/kind-of.ts'
export {
  type ComponentClass,
  type LoadComponentOptions,
  loadComponent,
} from './configuration/load-component.ts'
export type { ComponentSources, NestedLoader } from './configuration/nested-loader.ts'
export { type ConsoleViewOptions, consoleView } from './console/console-view.ts'
export type { TranscriptOutput } from './console/look.ts'
export { visible } from './console/visible.ts'
export type { EmptyAnswer, HumanInput, HumanInputRequest } from './human-input/human-input.ts'
export { type HumanInputScript, ScriptedHumanInput } from './human-input/scripted-human-input.ts'
export { TerminalHumanInput, type TerminalHumanInputOptions } from './human-input/terminal-human-input.ts'
export type {
  AnswerPart,
  ChatMessage,
  MessageInput,
  Picture,
  ToolCall,
  ToolResponse,
} from './message/chat-message.ts'
export { endsWithTermination } from './message/termination.ts'
export type { ModelOptions } from './model/model-options.ts'
export type { ModelEvent } from './model/model-reply.ts'
export type { Price, PriceTable, Usage, UsageSummary } from './model/usage.ts'
export {
  BufferedChatCompletionContext,
  type BufferedContextOptions,
  bufferedContextOptionsSchema,
} from './model-context/buffered-chat-completion-context.ts'
export type { ContextOptions } from './model-context/context-options.ts'
export {
  HeadAndTailChatCompletionContext,
  type HeadAndTailContextOptions,
  headAndTailContextOptionsSchema,
} from './model-context/head-and-tail-chat-completion-context.ts'
export type { ModelContext, ModelContextState } from './model-context/model-context.ts'
export type { CountTokens } from './model-context/token-count.ts'
export {
  TokenLimitedChatCompletionContext,
  type TokenLimitedContextOptions,
  tokenLimitedContextOptionsSchema,
} from './model-context/token-limited-chat-completion-context.ts'
export {
  UnboundedChatCompletionContext,
  unboundedContextOptionsSchema,
} from './model-context/unbounded-chat-completion-context.ts'
export { checkTerminationAndHumanReply } from './reply/check-termination-and-human-reply.ts'
export { generateCodeExecutionReply } from './reply/generate-code-execution-reply.ts'
export { generateModelReply } from './reply/generate-model-reply.ts'
export { generateToolCallsReply } from './reply/generate-tool-calls-reply.ts'
export type { ReplyContext, ReplyFunction, ReplyOutcome, ReplyTrigger } from './reply/reply-function.ts'
export type { RegisterReplyOptions } from './reply/reply-functions.ts'
export type { DroppedEvents } from './running/weighed-events.ts'
export { type ShowRunOptions, showRun } from './show-run/show-run.ts'
export type {
  AgentEvent,
  AgentMessage,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
  CodeExecutionEvent,
  CodeGenerationEvent,
  CodeOutputEvent,
  HandoffMessage,
  ModelClientStreamingChunkEvent,
  NoticeEvent,
  SelectSpeakerEvent,
  StopMessage,
  TextMessage,
  ThoughtEvent,
  ToolCallExecutionEvent,
  ToolCallRequestEvent,
  ToolCallSummaryMessage,
  UserInputRequestedEvent,
} from './task/agent-message.ts'
export type {
  AgentState,
  ChatAgent,
  OnMessagesOptions,
  Response,
  ResponseItem,
  RunTaskOptions,
  TaskItem,
  TaskResult,
  TaskRunner,
} from './task/chat-agent.ts'
export type { AiSdkAgent, AiSdkParticipantOptions } from './team/ai-sdk-participant.ts'
export { asChatAgent } from './team/as-chat-agent.ts'
export type { Participant, Team } from './team/participant.ts'
export {
  RoundRobinGroupChat,
  type RoundRobinGroupChatOptions,
  roundRobinGroupChatOptionsSchema,
} from './team/round-robin-group-chat.ts'
export { ExternalTermination } from './termination/external-termination.ts'
export {
  FunctionCallTermination,
  type FunctionCallTerminationOptions,
  functionCallTerminationOptionsSchema,
} from './termination/function-call-termination.ts'
export {
  FunctionalTermination,
  type FunctionalTerminationOptions,
  functionalTerminationOptionsSchema,
  type IsMet,
} from './termination/functional-termination.ts'
export {
  HandoffTermination,
  type HandoffTerminationOptions,
  handoffTerminationOptionsSchema,
} from './termination/handoff-termination.ts'
export {
  MaxMessageTermination,
  type MaxMessageTerminationOptions,
  maxMessageTerminationOptionsSchema,
} from './termination/max-message-termination.ts'
export {
  SourceMatchTermination,
  type SourceMatchTerminationOptions,
  sourceMatchTerminationOptionsSchema,
} from './termination/source-match-termination.ts'
export { StopMessageTermination } from './termination/stop-message-termination.ts'
export {
  AndTerminationCondition,
  type CombinedTerminationOptions,
  combinedTerminationOptionsSchema,
  OrTerminationCondition,
  Termination,
} from './termination/termination.ts'
export type {
  TerminationCheck,
  TerminationCondition,
  WatchedRun,
} from './termination/termination-condition.ts'
export {
  TextMentionTermination,
  type TextMentionTerminationOptions,
  textMentionTerminationOptionsSchema,
} from './termination/text-mention-termination.ts'
export {
  TextMessageTermination,
  type TextMessageTerminationOptions,
  textMessageTerminationOptionsSchema,
} from './termination/text-message-termination.ts'
export {
  TimeoutTermination,
  type TimeoutTerminationOptions,
  timeoutTerminationOptionsSchema,
} from './termination/timeout-termination.ts'
export {
  TokenUsageTermination,
  type TokenUsageTerminationOptions,
  tokenUsageTerminationOptionsSchema,
} from './termination/token-usage-termination.ts'
export type { AgentTool, ToolCallOptions, ToolDescription, ToolModelOutput } from './tool/agent-tool.ts'
export { registerFunction, type ToolRoles } from './tool/agent-tools.ts'
export { type AsToolOptions, asTool, type TaskTool } from './tool/as-tool.ts'
