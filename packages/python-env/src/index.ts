// What a program needs beside an environment, so that it installs one package.
export {
  type BlockResult,
  type CodeBlock,
  CodeBlockScanner,
  type CodeExecutor,
  type CodeResult,
  type CodeStatus,
  type DroppedBytes,
  type ExecuteOptions,
  type ExecuteStreamOptions,
  type Execution,
  type ExecutionEvent,
  type ExecutorCapabilities,
  type ExtractOptions,
  executeStream,
  exitCodes,
  extractCodeBlocks,
  FencedError,
  type FencedErrorCode,
  type HostTool,
  type HostTools,
  type Isolation,
  type IsolationStatement,
  type Language,
  type MimeBundle,
  type Notice,
  type NoticeCode,
  type OutputFile,
  type StartOptions,
} from '@fenced/core'
export {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from '@fenced/core/tool'
export type { CreateLocalExecutorOptions } from './create-local-executor.ts'
export type {
  CreateExecutorOptions,
  ExecutorPlacement,
  PythonEnvironment,
} from './python-environment.ts'
export type { PythonInterpreter } from './python-interpreter.ts'
export {
  SystemPythonEnvironment,
  type SystemPythonEnvironmentOptions,
  systemPythonEnvironmentOptionsSchema,
} from './system-python-environment.ts'
export {
  PythonCodeExecutionTool,
  type PythonToolCallOptions,
} from './tool/python-code-execution-tool.ts'
export type { PythonToolInput } from './tool/tool-messages.ts'
export {
  type PythonCodeExecutionToolOptions,
  pythonCodeExecutionToolOptionsSchema,
} from './tool/tool-options.ts'
export {
  type VenvPythonEnvironmentOptions,
  venvPythonEnvironmentOptionsSchema,
} from './venv/venv-options.ts'
export { VenvPythonEnvironment } from './venv/venv-python-environment.ts'
export { WorkingDirectory } from './working-directory.ts'
