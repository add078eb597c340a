// What a program needs beside the executor, so that it installs one package.
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
export { JupyterCodeExecutor } from './jupyter-code-executor.ts'
export { type JupyterExecutorOptions, jupyterExecutorOptionsSchema } from './options.ts'
export {
  type JupyterConnection,
  type JupyterConnectionInfo,
  type JupyterServer,
  jupyterConnectionInfoSchema,
  type OpenConnection,
} from './server/connection-info.ts'
export { LocalJupyterServer } from './server/local-jupyter-server.ts'
export {
  type LocalJupyterServerOptions,
  localJupyterServerOptionsSchema,
} from './server/local-server-options.ts'
export { SandboxJupyterServer } from './server/sandbox-jupyter-server.ts'
export {
  type SandboxJupyterServerOptions,
  sandboxJupyterServerOptionsSchema,
} from './server/sandbox-server-options.ts'
