// The schemas that check options. Packages export the types only.
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { dockerExecutorOptionsSchema } from '../../packages/executor-docker/src/docker-command-line-code-executor.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { jupyterExecutorOptionsSchema } from '../../packages/executor-jupyter/src/options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { jupyterConnectionInfoSchema } from '../../packages/executor-jupyter/src/server/connection-info.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { dockerJupyterServerOptionsSchema } from '../../packages/executor-jupyter/src/server/docker/docker-server-options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { localJupyterServerOptionsSchema } from '../../packages/executor-jupyter/src/server/local-server-options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { sandboxJupyterServerOptionsSchema } from '../../packages/executor-jupyter/src/server/sandbox-server-options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { kubernetesExecutorOptionsSchema } from '../../packages/executor-kubernetes/src/kubernetes-command-line-code-executor.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { localExecutorOptionsSchema } from '../../packages/executor-local/src/options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { dockerPythonEnvironmentOptionsSchema } from '../../packages/python-env/src/docker/docker-options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { systemPythonEnvironmentOptionsSchema } from '../../packages/python-env/src/system-python-environment.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { pythonCodeExecutionToolOptionsSchema } from '../../packages/python-env/src/tool/tool-options.ts'
// @boundaries-ignore Tests compare each schema with its type; no package exports it.
export { venvPythonEnvironmentOptionsSchema } from '../../packages/python-env/src/venv/venv-options.ts'
