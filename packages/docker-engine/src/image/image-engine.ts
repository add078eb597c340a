import type Docker from 'dockerode'

/** An engine that has answered; see `connectEngine`. */
export interface ImageEngine {
  readonly docker: Docker
  readonly info: {
    /** `2` when it prefers BuildKit. */
    readonly builderVersion?: string | undefined
  }
}
