export type { ContainerOptions, VolumeMount } from './container/container-options.ts'
export { DockerCommandLineCodeExecutor } from './docker-command-line-code-executor.ts'
export { type DockerExecutorOptions, dockerExecutorOptionsSchema } from './options.ts'
