export type {
  CreateExecutorOptions,
  PythonEnvironment,
} from './python-environment.ts'
export type { PythonInterpreter } from './python-interpreter.ts'
export {
  SystemPythonEnvironment,
  type SystemPythonEnvironmentOptions,
  systemPythonEnvironmentOptionsSchema,
} from './system-python-environment.ts'
export {
  type VenvPythonEnvironmentOptions,
  venvPythonEnvironmentOptionsSchema,
} from './venv/venv-options.ts'
export { VenvPythonEnvironment } from './venv/venv-python-environment.ts'
export { WorkingDirectory } from './working-directory.ts'
