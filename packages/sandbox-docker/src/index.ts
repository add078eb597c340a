export type { Container } from './container/container.ts'
export { boundedBy, type ContainerLimits, containerLimitsShape } from './container/container-limits.ts'
export type { ContainerProcess } from './container/container-process.ts'
export type { ContainerRequest } from './container/container-request.ts'
export type { EngineConnection } from './engine/connection.ts'
export type { Endpoint } from './engine/endpoint.ts'
export type { ConnectOptions } from './engine/host-environment.ts'
export type { EngineInfo } from './engine/ping.ts'
export { Engine, engineOptionSchema, type FoundContainer } from './engine.ts'
export {
  type BuildOptions,
  type BuildSource,
  defaultImage,
  type ImageOptions,
  type ImageSettings,
  imageOptionsShape,
  type ProvidedImage,
} from './image/image-options.ts'
export {
  type ContainerOptions,
  containerNetworkSchema,
  type VolumeMount,
} from './sandbox/container-options.ts'
export { ContainerSandbox, DockerSandbox, type DockerSandboxParts } from './sandbox/docker-sandbox.ts'
export {
  type DockerSandboxOptions,
  dockerSandboxShape,
  readContainerOptions,
  requireNamesOfKept,
  workingDirectoryInside,
} from './sandbox/sandbox-options.ts'
