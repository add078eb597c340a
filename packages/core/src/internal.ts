// Only for the packages of Fenced. These exports change and disappear without notice, in any version.

export { withoutSecret } from './approval/approval-queue.ts'
export { readApprovalRequest } from './approval/approval-request.ts'
export { isolationText, isolationTexts, targetOf } from './approval/approval-target.ts'
export { type AskingParts, askingExecutor } from './approval/approved-executor.ts'
export { askedAgain } from './approval/asked-again.ts'
export { type Asker, type AskerOptions, askerOf, askKinds, askShape, isAsk } from './approval/asker.ts'
export {
  type AgentCode,
  asksForApproval,
  executeForAgent,
  executeInSession,
} from './approval/asking-executor.ts'
export { checkedAnswer } from './approval/checked-answer.ts'
export { codeHash, targetHash } from './approval/code-hash.ts'
export { codeRequest } from './approval/code-request.ts'
export { denialText, notRun } from './approval/decided-results.ts'
export { ledgerSchema } from './approval/decision-ledger.ts'
export { withDigest } from './approval/digest.ts'
export { type ExecuteQuestions, executeQuestions, withLedger } from './approval/execute-questions.ts'
export { FileLedgerStore } from './approval/file-ledger.ts'
export { installRequest } from './approval/install-request.ts'
export { type AllowedCall, decidedCall, recordedCall } from './approval/recorded-call.ts'
export {
  type Configurable,
  componentConfigSchema,
  isComponentConfig,
  isConfigurable,
  optionsOf,
} from './configuration/component-config.ts'
export { type ExecutorRequest, executorRequestOf } from './configuration/executor-registry.ts'
export { readComponentConfig } from './configuration/read-component-config.ts'
export { toComponentConfig } from './configuration/to-component-config.ts'
export { leftBehindNotice, tellMemoryKills } from './engine/block-outcome.ts'
export { packageSchema } from './engine/options.ts'
export { particularsInForce } from './engine/particulars-in-force.ts'
export { type InstallablePackages, installableAs } from './engine/python-packages.ts'
export { errorMessage, errorsIn } from './error-message.ts'
export { hideSecrets, hideUsers } from './hide-secrets.ts'
export { fileNameOfBlock } from './language/file-name.ts'
export { languageId } from './language/language-table.ts'
export { type CommentSyntax, type LanguageKind, languages } from './language/languages.ts'
export { decideBlock, isWrongLanguage } from './language/what-runs.ts'
export { isAbortSignal } from './options/abort-signal.ts'
export { checkBlocks } from './options/check-blocks.ts'
export { definedOptions } from './options/defined-options.ts'
export { pathsOf } from './options/parse-options.ts'
export { nearestName } from './options/unknown-option.ts'
export { formatOwner, isOwnerGone, type ProcessOwner, parseOwner, thisOwner } from './process-owner.ts'
export { anySignal } from './running/any-signal.ts'
export { EventBuffer } from './running/event-buffer.ts'
export { EventSource, type IteratedTwice, Running, type RunningParts } from './running/running.ts'
export { SharedStart, type SharedStartOptions } from './running/shared-start.ts'
export { TurnQueue } from './running/turn-queue.ts'
export { afterTime, onAbort, raceAbort, raceTimeout, untilAborted, untilKnown } from './running/waiting.ts'
export { MarkedEnd } from './sandbox/marked-end.ts'
export { ProcessArchives } from './sandbox/process-archives.ts'
export { TextTail } from './text-tail.ts'
export { bytesLeftOutOf } from './tool/tool-output.ts'
export { traced, traceProcess } from './tracing.ts'
export { DirectoryLease, type DirectoryLeaseOptions } from './work-directory/directory-lease.ts'
export {
  type DirectoryTree,
  ignoredDirectories,
  type TreeDirectory,
  type TreeEntry,
  type TreeFile,
} from './work-directory/list-files.ts'
export { O_PATH } from './work-directory/open-directory.ts'
export { removeLeftoverDirectory, TemporaryDirectory } from './work-directory/temporary-directories.ts'
export { temporaryFileName } from './work-directory/temporary-files.ts'
export { trustedPath } from './work-directory/trusted-path.ts'
export { declareWritable, writableThrough } from './work-directory/writable-directories.ts'
