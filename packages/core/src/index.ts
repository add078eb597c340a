export type {
  ApprovalAnswer,
  Approve,
  Approver,
} from './approval/approval-answer.ts'
export { ApprovalGate } from './approval/approval-gate.ts'
export { type ApprovalEvent, ApprovalQueue } from './approval/approval-queue.ts'
export type {
  ApprovalBlock,
  ApprovalFile,
  ApprovalPlace,
  ApprovalRequest,
  CodeApprovalRequest,
} from './approval/approval-request.ts'
export {
  type ApprovedExecutorOptions,
  approvedExecutor,
  asksForApproval,
  executeInSession,
  type RunApprovedOptions,
  runApproved,
} from './approval/approved-executor.ts'
export { codeHash } from './approval/code-hash.ts'
export { codeRequest } from './approval/code-request.ts'
export { denialText, editText, notRun } from './approval/decided-results.ts'
export { placeText } from './approval/place.ts'
export { type RememberedApproval, RememberedApprovals } from './approval/remembered-approvals.ts'
export type { CodeBlock } from './code-block.ts'
export type {
  CodeExecutor,
  ExecuteOptions,
  ExecutorCapabilities,
  Isolation,
  IsolationParticulars,
  IsolationStatement,
  StartOptions,
} from './code-executor.ts'
export type {
  BlockResult,
  CodeResult,
  CodeStatus,
  DroppedBytes,
  MimeBundle,
  Notice,
  OutputFile,
} from './code-result.ts'
export type { FencedErrorCode, NoticeCode } from './codes.ts'
export {
  type ComponentConfig,
  type ComponentVersions,
  type Configurable,
  componentConfigSchema,
  isComponentConfig,
  isConfigurable,
  omittedOptions,
  optionsOfToday,
  type ToConfigOptions,
} from './configuration/component-config.ts'
export {
  createExecutor,
  type ExecutorFactory,
  type ExecutorRequest,
  executorRequestOf,
  loadExecutor,
  registerExecutor,
} from './configuration/executor-registry.ts'
export { type LoadConfigOptions, readComponentConfig } from './configuration/read-component-config.ts'
export {
  type ComponentDescription,
  givenOptions,
  toComponentConfig,
} from './configuration/to-component-config.ts'
export {
  type DefinedExecutor,
  defineExecutor,
  type ExecutorDefinition,
  type ExecutorSettings,
} from './engine/define-executor.ts'
export type {
  BlockIo,
  BlockOutcome,
  Driver,
  PackageAdvice,
  PackageManager,
  PreparedBlock,
  ResultOptions,
  StartContext,
} from './engine/driver.ts'
export { DriverExecutor, type DriverExecutorParts } from './engine/driver-executor.ts'
export { nonInteractiveEnvironment } from './engine/environment.ts'
export { checkBlocks } from './engine/execute-arguments.ts'
export { fileNameOfBlock } from './engine/file-name.ts'
export {
  type EngineOptions,
  type ExecutorOptions,
  engineOptionsShape,
  packageSchema,
} from './engine/options.ts'
export type { StreamName } from './engine/output/block-output.ts'
export { type InstallablePackages, installableAs } from './engine/python-packages.ts'
export type { Execution, ExecutionEvent } from './execution.ts'
export { exitCodeOfSignal, exitCodes } from './exit-codes.ts'
export { FencedError, type FencedErrorOptions } from './fenced-error.ts'
export type { CommentSyntax, Language, LanguageKind } from './language/language.ts'
export { notRunMessage } from './language/language-messages.ts'
export {
  createLanguageTable,
  type LanguageTable,
  type LanguageTableOptions,
  languageId,
} from './language/language-table.ts'
export { languages } from './language/languages.ts'
export { CodeBlockScanner, type ExtractOptions, extractCodeBlocks } from './markdown/extract-code-blocks.ts'
export { parseOptions } from './options/parse-options.ts'
export { nearestName } from './options/unknown-option.ts'
export {
  formatOwner,
  isOwnerGone,
  type ProcessOwner,
  parseOwner,
  thisOwner,
} from './process-owner.ts'
export { type EventSource, Running, type RunningParts } from './running/running.ts'
export { SharedStart, type SharedStartOptions } from './running/shared-start.ts'
export { orAborted, orAfter, untilAborted } from './running/waiting.ts'
export {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from './tool/code-execution-tool.ts'
export {
  type BoundedTextOptions,
  boundedText,
  refusedToolOutput,
  runningToolOutput,
  type ToolOutput,
  type ToolOutputTextOptions,
  toolOutputOf,
  toolOutputSchema,
  toolOutputText,
} from './tool/tool-output.ts'
export { type ToolOutputsOptions, toolOutputs } from './tool/tool-outputs.ts'
export type { FileContent } from './work-directory/confined-files.ts'
export {
  HostWorkDirectory,
  type HostWorkDirectoryOptions,
  type WriteOptions,
} from './work-directory/host-work-directory.ts'
export type { DirectoryTree, TreeDirectory, TreeEntry, TreeFile } from './work-directory/list-files.ts'
export { ignoredDirectories } from './work-directory/list-files.ts'
export { removeLeftoverDirectory, TemporaryDirectory } from './work-directory/temporary-directories.ts'
export {
  type FileListing,
  FileRefusedError,
  type ListedFile,
  type WorkDirectory,
} from './work-directory/work-directory.ts'
