export {
  LocalCommandLineCodeExecutor,
  type LocalExecutorParts,
} from './local-command-line-code-executor.ts'
export type { InstallPackages } from './local-packages.ts'
export { type LocalExecutorOptions, localExecutorOptionsSchema } from './options.ts'
