// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core'
export { JupyterCodeExecutor } from './jupyter-code-executor.ts'
export type { JupyterExecutorOptions } from './options.ts'
export type {
  JupyterConnection,
  JupyterConnectionInfo,
  JupyterServer,
  OpenConnection,
} from './server/connection-info.ts'
export { LocalJupyterServer } from './server/local-jupyter-server.ts'
export type { LocalJupyterServerOptions } from './server/local-server-options.ts'
export { SandboxJupyterServer } from './server/sandbox-jupyter-server.ts'
export type { SandboxJupyterServerOptions } from './server/sandbox-server-options.ts'
