import type { HostWorkDirectory } from '@fenced/core/driver'
import type { CopyPlace } from './copy-place.ts'
import type { KnownEntries } from './known-entries.ts'

/** The two sides of a copy, and what they had in common. */
export interface Sides {
  readonly hostDirectory: HostWorkDirectory
  readonly place: CopyPlace
  readonly known: KnownEntries
}
