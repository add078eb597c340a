// For authors of sandboxes, and for who uses one: where processes run, with files and ports.

export { HostWorkDirectory } from '../work-directory/host-work-directory.ts'
export { outcomeOf } from './block-outcome.ts'
export { executorSandbox } from './executor-sandbox.ts'
export { OutputStreams } from './output-streams.ts'
export type {
  ExecutorSandbox,
  Sandbox,
  SandboxCapabilities,
  SandboxPreparation,
  StartSandboxOptions,
} from './sandbox.ts'
export type { BackendProcess, ExecOptions, SandboxBackend } from './sandbox-backend.ts'
export type { FilesOptions, SandboxEntry, SandboxFiles, WriteFileOptions } from './sandbox-files.ts'
export type {
  OutputSink,
  ProcessEnd,
  ProcessRole,
  SandboxProcess,
  SpawnOptions,
} from './sandbox-process.ts'
export { SharedFiles } from './shared-files.ts'
