// For authors of sandboxes and kernels that are not a `SupervisedSandbox`: allowlists, resident Pythons, tools and commands.

export { makeWritable } from './copy/make-writable.ts'
export { hasEnded } from './exec/explain-disconnect.ts'
export { runCommand } from './exec/run-command.ts'
export { FileEvents } from './files/file-events.ts'
export { caFileSchema } from './network/ca-file.ts'
export { ListedNetwork } from './network/listed-network.ts'
export {
  networkAccess,
  networkOptionSchema,
  networkParticulars,
} from './network/network-options.ts'
export type { CompiledPrograms } from './resident-python/compiled-programs.ts'
export { FrameReader } from './resident-python/frames.ts'
export { type ProgramEnd, PythonRunner } from './resident-python/python-runner.ts'
export type {
  ResidentPythonProcess,
  SharedInterpreter,
  SharedPythons,
} from './resident-python/shared-pythons.ts'
export { helloProblem, startFailure } from './resident-python/start-failure.ts'
export { runnerCommand, runnerSource } from './runner-command.ts'
export { ShownResults } from './session/shown-results.ts'
export { keepAliveCommand, type LifeLimits } from './supervise/keep-alive.ts'
export { spawnInTerminal } from './terminal/spawn-in-terminal.ts'
export { ToolConnection } from './tools/tool-connection.ts'
export { toolModule } from './tools/tool-module.ts'
