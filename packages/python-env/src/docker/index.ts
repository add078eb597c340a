export type { CreateDockerExecutorOptions } from './create-docker-executor.ts'
export {
  type DockerPythonEnvironmentOptions,
  dockerPythonEnvironmentOptionsSchema,
} from './docker-options.ts'
export { DockerPythonEnvironment } from './docker-python-environment.ts'
