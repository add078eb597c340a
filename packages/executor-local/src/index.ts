export { LocalCommandLineCodeExecutor } from './local-command-line-code-executor.ts'
export { type LocalExecutorOptions, localExecutorOptionsSchema } from './options.ts'
