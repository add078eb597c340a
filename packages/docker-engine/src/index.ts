export { containerRefusal } from './container/container-error.ts'
export { type ContainerLimits, containerLimitsShape, limitsOfHost } from './container/container-limits.ts'
export {
  configurationLabel,
  configurationOf,
  type Labels,
  ownerLabels,
  requestLabel,
  temporaryDirectoryLabel,
} from './container/labels.ts'
export { removeLeftovers } from './container/leftovers.ts'
export { type NamedRequest, openContainer, whyItEnded } from './container/open-container.ts'
export { Remains, type Removal } from './container/remains.ts'
export { removeAtExit } from './container/remove-at-exit.ts'
export { isConflict, isGone, removeContainer } from './container/remove-container.ts'
export { type ConnectOptions, connectEngine, type Engine } from './engine/connect-engine.ts'
export {
  type EngineConnection,
  type EngineContext,
  type EngineHost,
  type EngineTls,
  engineConnectionSchema,
} from './engine/connection.ts'
export { defaultUser } from './engine/default-user.ts'
export type { Endpoint } from './engine/endpoint.ts'
export type { EngineInfo } from './engine/ping.ts'
export type { Surroundings } from './engine/surroundings.ts'
export type { TlsFiles } from './engine/tls-files.ts'
export { whileDoing } from './engine/while-doing.ts'
export { Demultiplexer, type StreamSink } from './exec/demultiplexer.ts'
export { askForEnd, endOf } from './exec/exec-end.ts'
export type { ImageEngine } from './image/image-engine.ts'
export {
  type BuildOptions,
  type BuildSource,
  type ImageOptions,
  type ImageSettings,
  imageOptionsShape,
} from './image/image-options.ts'
export { type ProvidedImage, provideImage } from './image/provide-image.ts'
