// For authors of executors: drivers, their working directories and their options.

export type { FencedErrorOptions } from '@fenced/errors'
// Declarations of executors name it.
export type { Language } from '@fenced/markdown'
export { type ExecutorFactory, registerExecutor } from './configuration/executor-registry.ts'
export { type ComponentDescription, givenOptions } from './configuration/to-component-config.ts'
export {
  type DefinedExecutor,
  defineExecutor,
  type ExecutorDefinition,
  type ExecutorSettings,
} from './engine/define-executor.ts'
export type {
  BlockIo,
  BlockOutcome,
  BlockTools,
  Driver,
  PackageAdvice,
  PackageManager,
  PreparedBlock,
  ReadLine,
  ResultOptions,
  StartContext,
} from './engine/driver.ts'
export { DriverExecutor } from './engine/driver-executor.ts'
export type { DriverExecutorParts } from './engine/engine-context.ts'
export { nonInteractiveEnvironment } from './engine/environment.ts'
export { type EngineOptions, type ExecutorOptions, engineOptionsShape } from './engine/options.ts'
export { exitCodeOfSignal } from './exit-codes.ts'
export type { IsolationParticulars } from './isolation.ts'
export { parseOptions } from './options/parse-options.ts'
export type { RaisedError } from './program-error/program-error.ts'
export type { StreamName } from './sandbox/sandbox-process.ts'
export type { FileContent } from './work-directory/confined-writes.ts'
export {
  HostWorkDirectory,
  type HostWorkDirectoryOptions,
  type WriteOptions,
} from './work-directory/host-work-directory.ts'
export {
  type FileListing,
  FileRefusedError,
  type ListedFile,
} from './work-directory/work-directory.ts'
