import { chmodSync, closeSync, constants, fstatSync, opendirSync, openSync, readlinkSync } from 'node:fs'
import { errorCode, O_PATH } from './open-directory.ts'
import { TimeSlices } from './walk.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Called with each regular file and directory, a directory before its content. The path is valid during the call. */
export type Visit = (path: Buffer, isDirectory: boolean) => void

/** Time limit for one tree, in milliseconds: a running program can make directories faster than they are visited. */
const longestMs = 60_000

/**
 * The number of names of directories that are held at a time; each open level may hold `leastNames` in addition. A directory with
 * more of them is read again: memory must not grow with what a program makes.
 */
const mostNames = 4_096
const leastNames = 16

/**
 * Visits all regular files and directories below a directory of this Linux machine, whatever the bytes of their names and at any
 * depth. Links are never followed. Two directories are open at a time, and no path is ever too long.
 *
 * @param root - the real path of a directory. Nothing is visited where it is gone, or a link leads elsewhere.
 * @returns whether all were visited; `false` where a file or directory of another user is in the way.
 * @throws EBUSY when directories are moved meanwhile, or are made faster than they are visited.
 */
export async function visitTree(root: string, visit: Visit): Promise<boolean> {
  const opened = openRoot(root)
  if (opened === undefined) return true
  const turns = new TimeSlices()
  const giveUpAt = performance.now() + longestMs
  using tree = new TreeVisit(opened, visit)
  for (const _ of tree.steps()) {
    if (!turns.isOver) continue
    if (performance.now() > giveUpAt) throw stillBusy()
    await turns.next()
  }
  return tree.isComplete
}

/** `undefined` where there is no such directory any longer. */
function openRoot(root: string): Opened | undefined {
  try {
    const opened = openReadable(Buffer.from(root))
    if (readlinkSync(`/proc/self/fd/${opened.descriptor}`) === root) return opened
    closeSync(opened.descriptor)
  } catch (error) {
    if (!isGone.has(errorCode(error))) throw error
  }
  return undefined
}

/** The codes for an entry that is gone, or that a program replaced. */
const isGone = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** A directory on the way from the root to the current directory. */
interface Level {
  /** Device and inode: the way back up is checked, because a directory may have been moved. */
  readonly identity: string
  /** Its permissions before it was made readable. */
  readonly mode: number | undefined
  /** Names of directories to visit, the first one last. Latin-1 keeps the bytes. */
  names: string[]
  /** The names of directories up to this one were read, at first none; `undefined` when all were. */
  readTo: string | undefined
}

class TreeVisit implements Disposable {
  isComplete = true
  readonly #visit: Visit
  readonly #levels: Level[] = []
  #heldNames = 0
  #descriptor: number

  constructor({ descriptor, mode }: Opened, visit: Visit) {
    this.#descriptor = descriptor
    this.#visit = visit
    this.#push(mode)
  }

  /** Visits all directories, and yields after each entry. */
  *steps(): Generator<void> {
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const name = level.names.pop()
      if (name !== undefined) {
        this.#heldNames--
        this.#goInto(name)
      } else if (level.readTo === undefined) this.#goUp(level)
      else yield* this.#read(level, level.readTo)
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  #push(mode: number | undefined): void {
    this.#levels.push({ identity: inodeOf(this.#descriptor), mode, names: [], readTo: '' })
  }

  #goInto(name: string): void {
    try {
      const { descriptor, mode } = openReadable(this.#entry(name))
      closeSync(this.#descriptor)
      this.#descriptor = descriptor
      this.#push(mode)
    } catch (error) {
      this.#skip(error)
    }
  }

  /** Reads the names of further directories, in the order of their bytes. All entries are visited the first time. */
  *#read(level: Level, from: string): Generator<void> {
    const room = Math.max(leastNames, (mostNames - this.#heldNames) >> 1)
    let names: string[] = []
    level.readTo = undefined
    const cut = () => {
      names.sort()
      if (names.length > room) level.readTo = names[room - 1]
      names = names.slice(0, room)
    }
    for (const { name, isDirectory } of entriesOf(this.#descriptor)) {
      if (isDirectory && name > from && names.push(name) === 2 * room) cut()
      if (from === '') this.#visitOne(name, isDirectory)
      yield
    }
    cut()
    level.names = names.reverse()
    this.#heldNames += names.length
  }

  #visitOne(name: string, isDirectory: boolean): void {
    try {
      this.#visit(this.#entry(name), isDirectory)
    } catch (error) {
      this.#skip(error)
    }
  }

  #goUp({ mode }: Level): void {
    this.#levels.pop()
    const above = this.#levels.at(-1)
    const below = this.#descriptor
    if (above !== undefined) this.#descriptor = openSync(`/proc/self/fd/${below}/..`, O_RDONLY | O_DIRECTORY)
    if (mode !== undefined) chmodSync(`/proc/self/fd/${below}`, mode)
    if (above === undefined) return
    closeSync(below)
    if (inodeOf(this.#descriptor) !== above.identity) throw stillBusy()
  }

  /** What is gone by now needs no care. */
  #skip(error: unknown): void {
    const code = errorCode(error)
    if (isGone.has(code)) return
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error
    this.isComplete = false
  }

  #entry(name: string): Buffer {
    return Buffer.from(`/proc/self/fd/${this.#descriptor}/${name}`, 'latin1')
  }
}

interface Opened {
  readonly descriptor: number
  /** The permissions that it is to have again. */
  readonly mode: number | undefined
}

/** Opens a directory, also one that this user has locked: others may still reach what is in it. */
function openReadable(path: Buffer): Opened {
  const found = openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  try {
    const { mode, uid } = fstatSync(found)
    const isLocked = uid !== 0 && uid === process.getuid?.() && (mode & 0o500) !== 0o500
    if (isLocked) chmodSync(`/proc/self/fd/${found}`, (mode & 0o7777) | 0o500)
    const descriptor = openSync(`/proc/self/fd/${found}/.`, O_RDONLY | O_DIRECTORY)
    return { descriptor, mode: isLocked ? mode & 0o7777 : undefined }
  } finally {
    closeSync(found)
  }
}

/** Not all at once: a directory can have any number of entries. */
function* entriesOf(descriptor: number): Generator<{ readonly name: string; readonly isDirectory: boolean }> {
  const directory = opendirSync(`/proc/self/fd/${descriptor}`, { encoding: 'latin1', bufferSize: 1_024 })
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (entry.isDirectory() || entry.isFile()) yield { name: entry.name, isDirectory: entry.isDirectory() }
    }
  } finally {
    directory.closeSync()
  }
}

function inodeOf(descriptor: number): string {
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  return `${dev}:${ino}`
}

function stillBusy(): Error {
  return Object.assign(new Error('A program moved or made directories while they were visited.'), {
    code: 'EBUSY',
  })
}
