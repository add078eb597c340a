import type { FileEvent } from '@fenced/core/sandbox'
import { mostEntries } from './file-entries.ts'

/** Reads what a script that watches prints. */
export interface WatchOutput {
  /** Whether changes from now on are noticed. */
  readonly isReady: boolean
  /** Ends each part. */
  readonly end: string
  /** A longer part is not a script's, in UTF-16 code units. */
  readonly longest: number
  /** Returns the changes in a text, and what comes after its last complete part. @throws for anything else. */
  take(text: string): { readonly events: FileEvent[]; readonly rest: string }
}

const kinds: ReadonlySet<unknown> = new Set<FileEvent['kind']>(['created', 'changed', 'removed'])

/** Lines of JSON, each with a kind and a path. */
export class ChangedLines implements WatchOutput {
  readonly end = '\n'
  readonly longest = 65_536
  isReady = false

  take(text: string) {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    const events = lines.flatMap((line) => {
      const [kind, path]: unknown[] = JSON.parse(line)
      if (kind === 'ready') {
        this.isReady = true
        return []
      }
      if (!kinds.has(kind) || typeof path !== 'string') throw new TypeError(line)
      return [{ kind, path } as FileEvent]
    })
    return { events, rest }
  }
}

/** Ends a listing. No path has two slashes in it. */
const listingEnd = '\n//\n'

/** Whole listings of entries, each with what differs when it changes. */
export class ComparedListings implements WatchOutput {
  readonly end = listingEnd
  readonly longest = mostEntries * 320
  #before: ReadonlyMap<string, string> | undefined

  get isReady(): boolean {
    return this.#before !== undefined
  }

  take(text: string) {
    const listings = text.split(listingEnd)
    const rest = listings.pop() ?? ''
    const events = listings.flatMap((listing) => {
      const before = this.#before
      this.#before = parseListing(listing)
      return before === undefined ? [] : [...changesBetween(before, this.#before)]
    })
    return { events, rest }
  }
}

function parseListing(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(/\/\/(?:\n|$)/).flatMap((entry) => {
      const [, version, path] = /^\s?(\S+ \S+ \S+ \S+ \S+) \.\/(.*)$/s.exec(entry) ?? []
      return version === undefined || path === undefined ? [] : [[path, version] as const]
    }),
  )
}

function* changesBetween(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Generator<FileEvent> {
  for (const path of before.keys()) if (!now.has(path)) yield { kind: 'removed', path }
  for (const [path, version] of now) {
    const old = before.get(path)
    if (old === undefined) yield { kind: 'created', path }
    else if (old !== version && !isDirectory(version)) yield { kind: 'changed', path }
  }
}

/** Each entry in a directory changes the directory. */
function isDirectory(version: string): boolean {
  return version.startsWith('4')
}
