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
  type Execution,
  type ExecutionEvent,
  type ExecutorCapabilities,
  type ExtractOptions,
  exitCodes,
  extractCodeBlocks,
  FencedError,
  type FencedErrorCode,
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
export { Engine, type EngineConnection } from '@fenced/docker-engine'
export type { ContainerOptions, VolumeMount } from './docker/container-options.ts'
export { DockerSandbox, type DockerSandboxParts } from './docker/docker-sandbox.ts'
export type { DockerPlaceOptions, DockerSandboxOptions } from './docker/sandbox-options.ts'
export { DockerCommandLineCodeExecutor } from './docker-command-line-code-executor.ts'
export { type DockerExecutorOptions, dockerExecutorOptionsSchema } from './options.ts'
