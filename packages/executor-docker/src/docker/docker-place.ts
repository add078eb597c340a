import type { Engine } from '@fenced/docker-engine'
import type { ContainerHolder } from './container-holder.ts'

/** An executor's place that is up. */
export interface DockerPlace {
  readonly engine: Engine
  readonly holder: ContainerHolder
}
