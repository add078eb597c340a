// Only for the packages of Fenced. These exports change and disappear without notice, in any version.

export type { CopyReport } from './copy/copy-report.ts'
export { DirectoryCopy, type DirectoryCopyOptions } from './copy/directory-copy.ts'
export { makeWritable } from './copy/make-writable.ts'
export type { ExecTarget } from './exec/exec-target.ts'
export { hasEnded } from './exec/explain-disconnect.ts'
export { runCommand } from './exec/run-command.ts'
export { caFileSchema } from './network/ca-file.ts'
export {
  type HelperInterpreter,
  helperCommand,
  judgeNetworkTest,
  ListedNetwork,
  networkTestCommand,
  systemBundles,
} from './network/listed-network.ts'
export {
  type NetworkListSettings,
  networkAccess,
  networkOptionSchema,
  networkParticulars,
} from './network/network-options.ts'
export { SandboxAuthority } from './network/secrets/authority.ts'
export { FrameReader, partsOf } from './resident-python/frames.ts'
export { type ProgramEnd, PythonRunner } from './resident-python/python-runner.ts'
export type {
  ResidentPythonProcess,
  SharedInterpreter,
  SharedPythons,
} from './resident-python/shared-pythons.ts'
export { helloProblem, startFailure } from './resident-python/start-failure.ts'
export { runnerCommand, runnerSource } from './runner-command.ts'
export { notResumable, sandboxNotStarted } from './sandbox-errors.ts'
export { ExecPool } from './supervise/exec-pool.ts'
export { keepAliveCommand, type LifeLimits } from './supervise/keep-alive.ts'
export { waitingForReaders } from './supervise/pipe-readers.ts'
export { controlledCommand } from './supervise/start-process.ts'
export { SupervisedProcess } from './supervise/supervised-process.ts'
export { ToolConnection } from './tools/tool-connection.ts'
export { toolModule } from './tools/tool-module.ts'
