export type { Container } from './container/container.ts'
export { boundedBy, type ContainerLimits, containerLimitsShape } from './container/container-limits.ts'
export type { ContainerProcess } from './container/container-process.ts'
export type { EngineConnection } from './engine/connection.ts'
export type { ConnectOptions } from './engine/host-environment.ts'
export { Engine, engineOptionSchema } from './engine.ts'
export {
  type BuildOptions,
  type BuildSource,
  defaultImage,
  type ImageOptions,
  type ImageSettings,
  imageOptionsShape,
  type ProvidedImage,
} from './image/image-options.ts'
export { containerNetworkSchema } from './sandbox/container-options.ts'
export { ContainerSandbox, DockerSandbox, type DockerSandboxParts } from './sandbox/docker-sandbox.ts'
export {
  type DockerSandboxOptions,
  dockerSandboxShape,
  readContainerOptions,
  requireNamesOfKept,
  workingDirectoryInside,
} from './sandbox/sandbox-options.ts'
