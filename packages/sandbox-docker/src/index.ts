export type { CallOptions, ExecOptions } from './container/call-options.ts'
export { type Confinement, confinedRequest } from './container/confined-request.ts'
export type { Container } from './container/container.ts'
export { containerRefusal } from './container/container-error.ts'
export {
  boundedBy,
  type ContainerLimits,
  containerLimitsShape,
} from './container/container-limits.ts'
export type { ContainerProcess } from './container/container-process.ts'
export type { ContainerRequest, DeviceRequest, HostConfig } from './container/container-request.ts'
export type { OutputSink } from './container/demultiplexer.ts'
export type { Labels } from './container/labels.ts'
export {
  type EngineConnection,
  type EngineContext,
  type EngineHost,
  type EngineTls,
  engineConnectionSchema,
} from './engine/connection.ts'
export type { Endpoint } from './engine/endpoint.ts'
export type { ConnectOptions, HostEnvironment } from './engine/host-environment.ts'
export type { EngineInfo } from './engine/ping.ts'
export type { TlsFiles } from './engine/tls-files.ts'
export {
  Engine,
  engineOptionSchema,
  type FoundContainer,
} from './engine.ts'
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
  engineNetworkOf,
  networkListOf,
  type VolumeMount,
} from './sandbox/container-options.ts'
export {
  ContainerSandbox,
  type ContainerSandboxParts,
  DockerSandbox,
  type DockerSandboxParts,
} from './sandbox/docker-sandbox.ts'
export {
  type DockerSandboxOptions,
  type DockerSandboxSettings,
  dockerSandboxShape,
  readContainerOptions,
  requireNamesOfKept,
  type WithWeakening,
  workingDirectoryInside,
} from './sandbox/sandbox-options.ts'
