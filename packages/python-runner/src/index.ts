export {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  type PythonRunnerOptions,
} from './python-runner.ts'
export { runnerCommand } from './runner-command.ts'
