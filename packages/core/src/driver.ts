// For authors of executors: drivers, their working directories and their options.

// Declarations of executors name it.
export type { Language } from '@fenced/markdown'
export { registerExecutor } from './configuration/executor-registry.ts'
export { givenOptions } from './configuration/to-component-config.ts'
export {
  defineExecutor,
  type ExecutorDefinition,
} from './engine/define-executor.ts'
export type {
  BlockIo,
  BlockOutcome,
  BlockTools,
  Driver,
  DriverSession,
  PackageAdvice,
  PackageManager,
  PreparedBlock,
  ReadLine,
  ResultOptions,
  StartContext,
} from './engine/driver.ts'
export { DriverExecutor } from './engine/driver-executor.ts'
export type { DriverExecutorParts } from './engine/engine-context.ts'
export { type ExecutorOptions, engineOptionsShape } from './engine/options.ts'
export { parseOptions } from './options/parse-options.ts'
export type { RaisedError } from './program-error/program-error.ts'
export type { StreamName } from './sandbox/sandbox-process.ts'
export type { IsolationParticulars } from './vocabulary/isolation.ts'
export {
  HostWorkDirectory,
  type HostWorkDirectoryOptions,
} from './work-directory/host-work-directory.ts'
export { FileRefusedError } from './work-directory/work-directory.ts'
