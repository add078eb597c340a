import type { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import type { KnownEntries } from './known-entries.ts'

/** Whose the files in the sandbox are. */
export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** A directory in a sandbox, and for how long we deal with it. */
export interface CopyTarget {
  readonly backend: SandboxBackend
  /** Absolute path of the directory in the sandbox. */
  readonly path: string
  readonly owner: FileOwner
  readonly signal: AbortSignal
}

/** The two sides of a copy, and what they had in common. */
export interface Sides {
  readonly hostDirectory: HostWorkDirectory
  readonly target: CopyTarget
  readonly known: KnownEntries
}
