export { FencedError, type FencedErrorCode, type NoticeCode } from '@fenced/errors'
export {
  type CodeBlock,
  CodeBlockScanner,
  createLanguageTable,
  type ExtractOptions,
  extractCodeBlocks,
  type Language,
  type LanguageTable,
  type LanguageTableOptions,
} from '@fenced/markdown'
export type { ApprovalAnswer } from './approval/approval-answer.ts'
export type { ApprovalEvent } from './approval/approval-event.ts'
export { ApprovalQueue } from './approval/approval-queue.ts'
export type {
  ApprovalBlock,
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
  AskObject,
  MessageAnswer,
} from './approval/ask.ts'
export type { AskOptions } from './approval/ask-options.ts'
export type {
  FileRequest,
  InstallRequest,
  MessageRequest,
  PermissionAnswer,
  ProcessRequest,
} from './approval/ask-requests.ts'
export { DecisionLedger, type DecisionLedgerOptions } from './approval/decision-ledger.ts'
export type { DecisionRecord } from './approval/decision-record.ts'
export { fileLedger } from './approval/file-ledger.ts'
export type { InputAnswer, InputRequest } from './approval/input-request.ts'
export type {
  AskedEntry,
  DecidedBy,
  DecidedEntry,
  DecisionState,
  EndedEntry,
  LedgerEntries,
  LedgerStep,
  LedgerStore,
  StartedEntry,
} from './approval/ledger-store.ts'
export type {
  NetworkApprovalAnswer,
  NetworkApprovalRequest,
} from './approval/network-request.ts'
export { type RememberedApproval, RememberedApprovals } from './approval/remembered-approvals.ts'
export type { ToolApprovalAnswer, ToolApprovalRequest } from './approval/tool-request.ts'
export { type AskingExecutorOptions, askingExecutor } from './asking-executor.ts'
export type { CodeExecutor, ExecuteOptions, ExecutorCapabilities } from './code-executor.ts'
export type {
  BlockResult,
  CodeResult,
  CodeStatus,
  DroppedBytes,
  MimeBundle,
  Notice,
  OutputFile,
  RichResult,
} from './code-result.ts'
export {
  type ComponentConfig,
  omittedOptions,
  type ToConfigOptions,
} from './configuration/component-config.ts'
export { createExecutor, loadExecutor } from './configuration/executor-registry.ts'
export type { LoadConfigOptions } from './configuration/read-component-config.ts'
export { type ExecuteStreamOptions, executeStream } from './execute-stream.ts'
export type { Execution, ExecutionEvent } from './execution.ts'
export { exitCodes } from './exit-codes.ts'
export type {
  HostTool,
  HostToolCall,
  HostToolCallOptions,
  HostToolFailure,
  HostToolFunction,
  HostToolLimits,
  HostToolObject,
  HostToolOptions,
  HostTools,
  ShortenedValue,
} from './host-tools/host-tool.ts'
export type { Isolation, IsolationStatement, NetworkAccess } from './isolation.ts'
export type { BoundedResources, LimitsInForce } from './limits.ts'
export type { NetworkConnection, NetworkObserver, SandboxNetwork } from './network/network-connection.ts'
export type {
  NetworkAllowlist,
  NetworkOption,
  NetworkSecret,
} from './network/network-option.ts'
export type { ErrorFrame, ProgramError } from './program-error/program-error.ts'
export { type RunApprovedOptions, runApproved } from './run-approved.ts'
export {
  type EntriesOptions,
  type ReplayGap,
  SharedReplay,
  type ShareReplayOptions,
  shareReplay,
} from './running/share-replay.ts'
export type { StartOptions } from './start-options.ts'
export type { BlockTrace, ExecutionTrace, ProcessTrace, QuestionTrace, StartTrace } from './tracing.ts'
