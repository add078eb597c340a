// For authors and users of sandboxes: environments for processes, with files and ports.

export { outcomeOf } from './engine/block/block-outcome.ts'
export { archivesOf } from './sandbox/archives-of.ts'
export { executorSandbox } from './sandbox/executor-sandbox.ts'
export { OutputStreams } from './sandbox/output-streams.ts'
export { OutputWatchers } from './sandbox/output-watchers.ts'
export type { Archives } from './sandbox/process-archives.ts'
export type { SandboxProcesses, SandboxProcessInfo } from './sandbox/process-list.ts'
export type {
  ExecutorSandbox,
  Sandbox,
  SandboxCapabilities,
  SandboxPreparation,
  StartSandboxOptions,
} from './sandbox/sandbox.ts'
export type { BackendProcess, ExecOptions, SandboxBackend } from './sandbox/sandbox-backend.ts'
export type {
  FileEvent,
  FilesOptions,
  FileWatch,
  MoveFileOptions,
  ReadFileOptions,
  SandboxFiles,
  WatchFilesOptions,
  WriteFileOptions,
} from './sandbox/sandbox-files.ts'
export type {
  MemoryUse,
  OutputSink,
  OutputWatcher,
  ProcessEnd,
  SandboxProcess,
  SpawnOptions,
  TerminalSize,
} from './sandbox/sandbox-process.ts'
export type { SandboxEntry } from './work-directory/work-directory.ts'
