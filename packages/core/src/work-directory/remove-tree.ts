import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, ignoring, O_PATH, type OpenDirectory, openDirectory } from './open-directory.ts'
import { TimeSlices } from './walk.ts'
import { FileRefusedError } from './work-directory.ts'

/** Time limit for one removal, in milliseconds: a running program can make files faster than they are removed. */
const longestRemovalMs = 60_000

/** Options for {@link removeTree}. */
export interface RemovalOptions {
  /** Default 60 000. */
  readonly limitMs?: number
  /** Names of directories below the path, and last of what is to be removed there. Default: the path itself. */
  readonly below?: readonly string[]
}

/**
 * Removes a path, a directory with all its content, also while programs change it. No link is
 * followed: on Linux every directory is opened below an open one, elsewhere the check and the use are two steps. Other
 * work continues meanwhile, and memory does not grow with the number of files. A missing path counts as removed.
 *
 * @param path - absolute. The directories above the last part may be links.
 * @throws the first error of the system, when everything else that can be removed is removed.
 */
export async function removeTree(
  path: string,
  { limitMs = longestRemovalMs, below = [] }: RemovalOptions = {},
): Promise<void> {
  const turns = new TimeSlices()
  const giveUpAt = performance.now() + limitMs
  for (const _ of below.length === 0 ? removing(path) : removingBelow(path, below)) {
    if (!turns.isOver) continue
    if (performance.now() > giveUpAt) throw stillBusy(path)
    await turns.next()
  }
}

/** The same for a moment in which nothing can be waited for. */
export function removeTreeNow(path: string, { limitMs }: { limitMs: number }): void {
  const giveUpAt = performance.now() + limitMs
  for (const _ of removing(path)) if (performance.now() > giveUpAt) throw stillBusy(path)
}

/** Yields after every step. */
function* removing(path: string): Generator<void> {
  const parent = ignoring('ENOENT', () => realpathSync.native(dirname(path)))
  if (parent !== undefined) yield* removingBelow(parent, [basename(path)])
}

function* removingBelow(root: string, parts: readonly string[]): Generator<void> {
  using above = openAbove(root, parts)
  const name = parts.at(-1) ?? ''
  if (above === undefined || removedAtOnce(above.entry(name))) return
  {
    using top = Directory.open(above.entry(name), join(root, ...parts))
    // A program that is just ending can have made an entry more.
    do yield* emptying(top)
    while (isFilledAgain(above.entry(name)))
  }
}

/** Whether a directory that was empty cannot be removed because something was put into it. Else it is gone. */
function isFilledAgain(path: string): boolean {
  try {
    rmdirSync(path)
    return false
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return false
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    return true
  }
}

/** `undefined` when it is gone, or a program made something else of it. */
function openAbove(root: string, parts: readonly string[]): OpenDirectory | undefined {
  try {
    return openDirectory(root, parts.slice(0, -1), { make: false })
  } catch (error) {
    if (FileRefusedError.isInstance(error) || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Moves the content of a directory of `top` into `top`, so that a tree of any depth needs two open directories, and no path
 * is ever too long.
 */
function* emptying(top: Directory): Generator<void> {
  for (;;) {
    let failure: { readonly error: unknown } | undefined
    let stepCount = 0
    let entryCount = 0
    for (const name of top.names()) {
      entryCount++
      try {
        for (const _ of takingApart(top, name)) {
          stepCount++
          yield
        }
      } catch (error) {
        failure ??= { error }
      }
    }
    if (entryCount === 0) return
    if (stepCount === 0) throw failure?.error
  }
}

/** Yields for every entry that is removed or moved. */
function* takingApart(top: Directory, name: Buffer): Generator<void> {
  const path = top.entry(name)
  if (removedAtOnce(path)) return yield
  {
    using directory = Directory.open(path, `${top.realPath}/${name}`)
    for (const inner of directory.names()) {
      if (!removedAtOnce(directory.entry(inner))) moveUp(directory, inner, top)
      yield
    }
  }
  rmdirSync(path)
  yield
}

function moveUp(directory: Directory, name: Buffer, top: Directory): void {
  const [from, to] = [
    directory.entry(name),
    top.entry(Buffer.from(`.fenced-${randomBytes(8).toString('hex')}`)),
  ]
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(errorCode(error))) throw error
    // A directory that may not be written to cannot get another parent. To open it makes it writable.
    Directory.open(from, `${directory.realPath}/${name}`)[Symbol.dispose]()
    renameSync(from, to)
  }
}

/** Whether it is gone; `false` for a directory that is not empty. */
function removedAtOnce(path: string | Buffer): boolean {
  return [unlinkSync, rmdirSync].some((remove) => {
    try {
      remove(path)
      return true
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT') return true
      if (!isDirectoryInTheWay.has(code)) throw error
      return false
    }
  })
}

/** Of `unlink` for a directory (EPERM: POSIX), and of `rmdir` for one with something in it. */
const isDirectoryInTheWay = new Set(['EISDIR', 'EPERM', 'EACCES', 'ENOTEMPTY', 'EEXIST'])

/** An open directory, of which everything can be removed that this user may remove. */
class Directory implements Disposable {
  readonly realPath: string
  readonly #path: string
  readonly #descriptor: number | undefined

  /** @throws ENOTDIR for a link. */
  static open(path: string | Buffer, realPath: string): Directory {
    if (process.platform !== 'linux') {
      if (!lstatSync(path).isDirectory()) throw Object.assign(new Error(realPath), { code: 'ENOTDIR' })
      return new Directory(realPath)
    }
    return new Directory(realPath, openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW))
  }

  private constructor(realPath: string, descriptor?: number) {
    this.realPath = realPath
    this.#descriptor = descriptor
    this.#path = descriptor === undefined ? realPath : `/proc/self/fd/${descriptor}`
    const { mode } = descriptor === undefined ? lstatSync(realPath) : fstatSync(descriptor)
    if ((mode & 0o700) === 0o700) return
    try {
      chmodSync(this.#path, 0o700)
    } catch {
      // Another user's. What follows says what cannot be done.
    }
  }

  entry(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.#path}/`), name])
  }

  /** Not all at once: a directory can have any number of entries. Bytes, because names need not be UTF-8. */
  *names(): Generator<Buffer> {
    const directory = opendirSync(this.#path, { encoding: 'latin1', bufferSize: 1_024 })
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        yield Buffer.from(entry.name, 'latin1')
      }
    } finally {
      directory.closeSync()
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

function stillBusy(path: string): Error {
  return Object.assign(
    new Error(`Not all of ${path} could be removed in time: a program may still write there.`),
    {
      code: 'EBUSY',
    },
  )
}
