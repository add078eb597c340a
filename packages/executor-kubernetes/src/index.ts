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
export { KubernetesCommandLineCodeExecutor } from './kubernetes-command-line-code-executor.ts'
export { type KubernetesExecutorOptions, kubernetesExecutorOptionsSchema } from './options.ts'
export {
  type ClusterOptions,
  KubernetesSandbox,
  type KubernetesSandboxOptions,
  type KubernetesSandboxParts,
  type PodAmounts,
  type PodOptions,
  type Toleration,
  type WarmPoolClaim,
} from './sandbox.ts'
