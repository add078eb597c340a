export type { CreateDockerExecutorOptions } from './create-docker-executor.ts'
export type { DockerPythonEnvironmentOptions } from './docker-options.ts'
export { DockerPythonEnvironment } from './docker-python-environment.ts'
