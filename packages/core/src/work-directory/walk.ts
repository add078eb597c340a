import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode, type OpenDirectory, openOne, openRoot } from './open-directory.ts'

/** An entry of a directory, with its path below the root. */
export interface FoundEntry {
  readonly path: string
  readonly entry: Dirent
  /** Returns its metadata while its directory is visited; `undefined` when it is gone or locked. */
  stat(): BigIntStats | undefined
}

/**
 * Called with an entry that is not found: a directory that is too deep or cannot be read, or a file or directory whose name is not
 * UTF-8. Its path is as readable as it can be made, and its version as {@link versionOf} a file.
 */
export type OnSkipped = (path: string, version: string) => void

/** A directory that lies deeper is not gone into: each level takes a descriptor. */
export const maxDepth = 100

/**
 * Yields the entries below `root`, one directory after another, a directory before its content. Links are not
 * followed, also not those that a program makes meanwhile: every directory is opened below an open one.
 *
 * @param ignored - names of directories that are not gone into.
 */
export async function* walk(
  root: string,
  ignored: ReadonlySet<string>,
  onSkipped: OnSkipped = () => {},
): AsyncGenerator<FoundEntry[]> {
  using way = new OpenPath(root)
  const directories = ['']
  const turns = new TimeSlices()
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    if (turns.isOver) await turns.next()
    const prefix = path === '' ? '' : `${path}/`
    const parts = path === '' ? [] : path.split('/')
    const found = await ifThere(async () => {
      const directory = way.enter(parts)
      const entries = await entriesOf(directory)
      if (entries.some(({ name }) => name.includes(replacement))) {
        for (const [name, version] of unnameable(directory)) onSkipped(prefix + name, version)
      }
      return entries.map((entry) => ({
        path: prefix + entry.name,
        entry,
        stat: () => statOf(directory.entry(entry.name)),
      }))
    })
    if (typeof found === 'string') {
      if (!isGone.has(found)) onSkipped(path === '' ? '.' : path, found)
      continue
    }
    for (const { path: inner, entry, stat } of found) {
      if (!entry.isDirectory() || ignored.has(entry.name)) continue
      if (parts.length < maxDepth) directories.push(inner)
      else onSkipped(inner, versionIfThere(stat()))
    }
    yield found
  }
}

/** The directories from the root to the current one, all of them open. */
class OpenPath implements Disposable {
  readonly #root: string
  readonly #names: string[] = []
  readonly #open: OpenDirectory[] = []

  constructor(root: string) {
    this.#root = root
  }

  enter(parts: readonly string[]): OpenDirectory {
    let shared = 0
    while (shared < this.#names.length && this.#names[shared] === parts[shared]) shared++
    this.#leave(shared)
    const [top = this.#push(openRoot(this.#root))] = this.#open
    let current = this.#open.at(-1) ?? top
    for (const name of parts.slice(shared)) {
      const next = openOne(current.entry(name), join(this.#root, ...this.#names, name))
      current = this.#push(next)
      this.#names.push(name)
    }
    return current
  }

  [Symbol.dispose](): void {
    this.#leave(0)
    this.#open.pop()?.[Symbol.dispose]()
  }

  #push(directory: OpenDirectory): OpenDirectory {
    this.#open.push(directory)
    return directory
  }

  #leave(depth: number): void {
    while (this.#names.length > depth) {
      this.#names.pop()
      this.#open.pop()?.[Symbol.dispose]()
    }
  }
}

async function entriesOf(directory: OpenDirectory): Promise<Dirent[]> {
  const path = directory.entry('.')
  return statSync(path).size > largestAtOnce
    ? readdir(path, { withFileTypes: true })
    : readdirSync(path, { withFileTypes: true })
}

/** The replacement for bytes of a name that are not UTF-8. */
const replacement = '\uFFFD'

/** Files and directories whose names are not UTF-8, with their versions: no string leads to them. */
function unnameable(directory: OpenDirectory): Map<string, string> {
  const found = new Map<string, string>()
  const path = directory.entry('.')
  for (const bytes of readdirSync(path, 'buffer')) {
    const name = bytes.toString()
    if (Buffer.from(name).equals(bytes)) continue
    const stat = statOf(Buffer.concat([Buffer.from(`${path}/`), bytes]))
    const isListed = stat?.isFile() === true || stat?.isDirectory() === true
    // Several of them can look the same.
    if (isListed) found.set(name, `${found.get(name) ?? ''} ${versionOf(stat)}`)
  }
  return found
}

/** Returns the result of `work`, or the code of an error that programs can cause. */
async function ifThere<Value>(work: () => Promise<Value>): Promise<Value | string> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (!isNotThere.has(code)) throw error
    return code
  }
}

/** The largest directory that is read without the thread pool, in bytes of the directory itself: some thousand names. */
const largestAtOnce = 65_536

/** A directory that is gone by now, locked, or has a path that is too long. Too many open files is another matter. */
const isNotThere = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'])

/** The codes for a directory that is missing, or whose name was skipped already. */
const isGone = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** The longest time for which one piece of work may block the event loop, in milliseconds. */
const longestTurnMs = 5

/** Divides work that is long only in a great directory, so that it is done at once in any other. */
export class TimeSlices {
  #endsAt = performance.now() + longestTurnMs

  /** Whether to wait for {@link next} before the next piece of work. */
  get isOver(): boolean {
    return performance.now() > this.#endsAt
  }

  /** Resolves when others had theirs. */
  async next(): Promise<void> {
    await nextTurn()
    this.#endsAt = performance.now() + longestTurnMs
  }
}

/** Changes whenever the content may have changed: the change time cannot be set by a program, unlike the modification time. */
export function versionOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`
}

function versionIfThere(stat: BigIntStats | undefined): string {
  return stat === undefined ? '' : versionOf(stat)
}

/** A program can make files that we cannot look at: gone by now, locked, or with a path that is too long. */
export function statOf(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
