import type { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import type { FileMetadata } from './archive-entry.ts'

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

/** A file that was the same on both sides. */
export interface KnownFile {
  readonly kind: 'file'
  /** As the sandbox's archive shows it. */
  readonly look: FileMetadata
  readonly hash: string
  /** The version of the file on this machine, as the working directory reports it. */
  readonly hostVersion: string
}

export type KnownEntry =
  | KnownFile
  | { readonly kind: 'directory' }
  /** Sent to the sandbox, and not known to have come there whole. */
  | { readonly kind: 'unsure' }

/** What was on both sides when they were last compared, by name. */
export type KnownEntries = Map<string, KnownEntry>
