// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core/executor-package'
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
