export { JupyterCodeExecutor } from './jupyter-code-executor.ts'
export { type JupyterExecutorOptions, jupyterExecutorOptionsSchema } from './options.ts'
export {
  type JupyterConnectionInfo,
  type JupyterServer,
  jupyterConnectionInfoSchema,
} from './server/connection-info.ts'
export { LocalJupyterServer } from './server/local-jupyter-server.ts'
export {
  type LocalJupyterServerOptions,
  localJupyterServerOptionsSchema,
} from './server/local-server-options.ts'
