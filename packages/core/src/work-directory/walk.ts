import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode, type OpenDirectory, openOne, openRoot } from './open-directory.ts'

/** An entry of a directory, with its path below the root. */
export interface FoundEntry {
  readonly path: string
  readonly entry: Dirent
  /** What is known of it, while its directory's entries are looked at; `undefined` when it is gone or locked. */
  stat(): BigIntStats | undefined
}

/** A directory that lies deeper is not gone into: each level takes a descriptor. */
const maxDepth = 100

/**
 * What is below `root`, one directory's entries after the other's, a directory before what is in it. Links are not
 * followed, also not those that a program makes meanwhile: every directory is opened below an open one.
 *
 * @param ignored - names of directories that are not gone into.
 */
export async function* walk(root: string, ignored: ReadonlySet<string>): AsyncGenerator<FoundEntry[]> {
  using way = new OpenWay(root)
  const directories = ['']
  const turns = new Turns()
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    if (turns.isOver) await turns.next()
    const prefix = path === '' ? '' : `${path}/`
    const parts = path === '' ? [] : path.split('/')
    const found = await ifThere(async () => {
      const directory = way.enter(parts)
      return (await entriesOf(directory)).map((entry) => ({
        path: prefix + entry.name,
        entry,
        stat: () => statOf(directory.entry(entry.name)),
      }))
    })
    for (const { path: inner, entry } of found ?? []) {
      if (entry.isDirectory() && !ignored.has(entry.name) && parts.length < maxDepth) directories.push(inner)
    }
    yield found ?? []
  }
}

/** The directories from the root to the current one, all of them open. */
class OpenWay implements Disposable {
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

async function ifThere<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isNotThere.has(errorCode(error))) throw error
    return undefined
  }
}

/** How many bytes a directory itself may have that is read without the thread pool: enough for some thousand names. */
const largestAtOnce = 65_536

/** A directory that is gone by now, locked, or has a path that is too long. Too many open files is another matter. */
const isNotThere = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'])

/** How long one piece of work may keep the event loop from others, in milliseconds. */
const longestTurnMs = 5

/** Divides work that is long only in a great directory, so that it is done at once in any other. */
export class Turns {
  #endsAt = performance.now() + longestTurnMs

  /** Whether to wait for {@link next} before going on. */
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

/** A program can make files that we cannot look at: gone by now, locked, or with a path that is too long. */
export function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
