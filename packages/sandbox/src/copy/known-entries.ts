import type { FileMetadata } from './archive-entry.ts'

/** A file that was the same on both sides. */
export interface KnownFile {
  readonly kind: 'file'
  /** As the sandbox's archive shows it. */
  readonly look: FileMetadata
  readonly hash: string
  /** Of the file on this machine, as the working directory tells it. */
  readonly hostVersion: string
}

export type KnownEntry =
  | KnownFile
  | { readonly kind: 'directory' }
  /** Sent to the sandbox, and not known to have come there whole. */
  | { readonly kind: 'unsure' }

/** What was on both sides when they were last compared, by name. */
export type KnownEntries = Map<string, KnownEntry>
