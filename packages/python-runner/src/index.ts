export {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  type PythonRunnerOptions,
} from './python-runner.ts'
export type { ResidentRunner, StartRunner } from './resident-runner.ts'
export { runnerCommand } from './runner-command.ts'
export { quoteLastWords, startFailure } from './start-failure.ts'
export { type WarmOption, type WarmOptions, warmOptionSchema } from './warm-option.ts'
export { type WarmOutcome, WarmPython, type WarmPythonOptions } from './warm-python.ts'
