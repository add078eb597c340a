import type Docker from 'dockerode'
import type { Endpoint } from '../engine/endpoint.ts'
import type { Surroundings } from '../engine/surroundings.ts'

/** An engine that has answered; see `connectEngine`. */
export interface ImageEngine {
  readonly docker: Docker
  readonly endpoint: Endpoint
  readonly info: {
    /** `2` when it prefers BuildKit. */
    readonly builderVersion?: string | undefined
  }
  /** Where the logins of registries are looked for. */
  readonly surroundings: Pick<Surroundings, 'environment' | 'home'>
}
