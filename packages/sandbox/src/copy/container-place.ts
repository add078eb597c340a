import type { SandboxBackend } from '@fenced/core/sandbox'

/** Whose the files in the container are. */
export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** A directory in a container, and for how long we deal with it. */
export interface ContainerPlace {
  readonly backend: SandboxBackend
  /** Absolute path of the directory in the container. */
  readonly path: string
  readonly owner: FileOwner
  readonly signal: AbortSignal
}
