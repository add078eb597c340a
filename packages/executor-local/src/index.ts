// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core'
export {
  LocalCommandLineCodeExecutor,
  type LocalExecutorParts,
} from './local-command-line-code-executor.ts'
export type { InstallPackages } from './local-packages.ts'
export type { LocalExecutorOptions } from './options.ts'
