export { FencedError, type FencedErrorCode, type NoticeCode } from '@fenced/errors'
export { visible, visibleCode } from '@fenced/errors/text'
export {
  type CodeBlock,
  CodeBlockScanner,
  createLanguageTable,
  extractCodeBlocks,
  type Language,
} from '@fenced/markdown'
export type { ApprovalAnswer } from './approval/approval-answer.ts'
export type { ApprovalEvent } from './approval/approval-event.ts'
export { ApprovalQueue } from './approval/approval-queue.ts'
export type {
  ApprovalFile,
  ApprovalTarget,
  CodeApprovalRequest,
} from './approval/approval-request.ts'
export type {
  ApprovalRequest,
  Ask,
  AskAbout,
  AskAnswer,
  AskByKind,
  AskFunction,
  AskKind,
  AskKinds,
} from './approval/ask.ts'
export type { AskOptions } from './approval/ask-options.ts'
export type {
  FileRequest,
  InstallRequest,
  MessageRequest,
  ProcessRequest,
} from './approval/ask-requests.ts'
export { DecisionLedger, type DecisionLedgerOptions } from './approval/decision-ledger.ts'
export type { DecisionRecord } from './approval/decision-record.ts'
export { fileLedger } from './approval/file-ledger.ts'
export type { InputAnswer, InputRequest } from './approval/input-request.ts'
export type {
  LedgerEntries,
  LedgerStore,
} from './approval/ledger-store.ts'
export type {
  NetworkApprovalAnswer,
  NetworkApprovalRequest,
} from './approval/network-request.ts'
export { type RememberedApproval, RememberedApprovals } from './approval/remembered-approvals.ts'
export type { ToolApprovalAnswer, ToolApprovalRequest } from './approval/tool-request.ts'
export { type AskingExecutorOptions, askingExecutor } from './asking-executor.ts'
export type { CodeExecutor, ExecuteOptions, ExecutorCapabilities } from './code-executor.ts'
export {
  type ComponentConfig,
  omittedOptions,
  type ToConfigOptions,
} from './configuration/component-config.ts'
export { createExecutor, loadExecutor } from './configuration/executor-registry.ts'
export type { LoadConfigOptions } from './configuration/read-component-config.ts'
export { type ExecuteStreamOptions, executeStream } from './execute-stream.ts'
export type { Execution, ExecutionEvent } from './execution.ts'
export type { NetworkObserver, SandboxNetwork } from './network/network-observer.ts'
export type { NetworkAllowlist, NetworkOption, NetworkSecret } from './network/network-option.ts'
export type { ErrorFrame, ProgramError } from './program-error/program-error.ts'
export { type RunApprovedOptions, runApproved } from './run-approved.ts'
export {
  SharedReplay,
  type ShareReplayOptions,
  shareReplay,
} from './running/share-replay.ts'
export type {
  PythonSession,
  SessionRestored,
  SessionVariable,
} from './session/python-session.ts'
export {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from './tool/code-execution-tool.ts'
export { type UndoTool, type UndoToolInput, type UndoToolOptions, undoTool } from './tool/undo-tool.ts'
export type {
  AgentRunTrace,
  AgentTurnTrace,
  ModelCallTrace,
  ToolCallTrace,
} from './vocabulary/agent-tracing.ts'
export type {
  BlockResult,
  CodeResult,
  CodeStatus,
  MimeBundle,
  Notice,
  OutputFile,
  RichResult,
} from './vocabulary/code-result.ts'
export { exitCodes } from './vocabulary/exit-codes.ts'
export type {
  HostTool,
  HostToolCall,
  HostToolCallOptions,
  HostToolLimits,
  HostToolObject,
  HostToolOptions,
  HostTools,
} from './vocabulary/host-tool.ts'
export type { Isolation, IsolationStatement, NetworkAccess } from './vocabulary/isolation.ts'
export type { LimitsInForce } from './vocabulary/limits.ts'
export type { NetworkConnection } from './vocabulary/network-connection.ts'
export type { StartOptions } from './vocabulary/start-options.ts'
export type {
  BlockTrace,
  ExecutionTrace,
  ProcessTrace,
  QuestionTrace,
  StartTrace,
} from './vocabulary/tracing.ts'
export type { BlockUsage, SandboxUsage } from './vocabulary/usage.ts'
