// Only for the packages of Fenced. These exports change and disappear without notice, in any version.

export type { CopyReport } from './copy/copy-report.ts'
export { DirectoryCopy, type DirectoryCopyOptions } from './copy/directory-copy.ts'
export { makeWritable } from './copy/make-writable.ts'
export type { ExecTarget } from './exec/exec-target.ts'
export { hasEnded } from './exec/explain-disconnect.ts'
export { runCommand } from './exec/run-command.ts'
export { FrameReader, partsOf } from './fork-server/frames.ts'
export { type ProgramEnd, PythonRunner } from './fork-server/python-runner.ts'
export type {
  SharedForkServer,
  SharedForkServers,
  SharedInterpreter,
} from './fork-server/shared-fork-servers.ts'
export { helloProblem, startFailure } from './fork-server/start-failure.ts'
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
export { runnerCommand, runnerSource } from './runner-command.ts'
export { notResumable, sandboxNotStarted } from './sandbox-errors.ts'
export { ExecPool } from './supervise/exec-pool.ts'
export { keepAliveCommand, type LifeLimits } from './supervise/keep-alive.ts'
export { waitingForReaders } from './supervise/pipe-readers.ts'
export { controlledCommand } from './supervise/start-process.ts'
export { SupervisedProcess } from './supervise/supervised-process.ts'
export { ToolConnection } from './tools/tool-connection.ts'
export { toolModule } from './tools/tool-module.ts'
