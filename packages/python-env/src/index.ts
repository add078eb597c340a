// What a program needs beside an environment, so that it installs one package.
export * from '@fenced/core'
export type { CreateLocalExecutorOptions } from './create-local-executor.ts'
export type {
  CreateExecutorOptions,
  PythonEnvironment,
} from './python-environment.ts'
export type { PythonInterpreter } from './python-interpreter.ts'
export {
  SystemPythonEnvironment,
  type SystemPythonEnvironmentOptions,
} from './system-python-environment.ts'
export { PythonCodeExecutionTool } from './tool/python-code-execution-tool.ts'
export type { PythonToolInput } from './tool/tool-messages.ts'
export type { PythonCodeExecutionToolOptions } from './tool/tool-options.ts'
export type { VenvPythonEnvironmentOptions } from './venv/venv-options.ts'
export { VenvPythonEnvironment } from './venv/venv-python-environment.ts'
export { WorkingDirectory } from './working-directory.ts'
