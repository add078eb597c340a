export { CommandLineCodeExecutor, type CommandLineExecutorOptions } from './command-line-code-executor.ts'
export { CommandLineDriver, type CommandLineDriverParts } from './command-line-driver.ts'
export {
  type FoundInterpreter,
  type InterpreterFinder,
  type MissingInterpreter,
  SandboxInterpreters,
} from './interpreters.ts'
