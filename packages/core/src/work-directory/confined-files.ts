import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { errorCode, type OpenDirectory, openDirectory, refusal } from './open-directory.ts'
import type { SandboxEntry } from './work-directory.ts'
import { FileRefusedError } from './work-directory.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Opens a regular file below `root` without following a link below it. `undefined` for a file that is missing or
 * unreadable.
 */
export async function openConfined(root: string, parts: readonly string[]): Promise<FileHandle | undefined> {
  try {
    using directory = openDirectory(root, parts.slice(0, -1), { make: false })
    // A pipe would keep us waiting for a writer.
    const file = await open(directory.entry(parts.at(-1) ?? ''), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await file.stat()).isFile()) return file
    await file.close()
    return undefined
  } catch (error) {
    if (FileRefusedError.isInstance(error) || isNotThere.has(errorCode(error))) return undefined
    throw error
  }
}

/**
 * Whether a path below `root` leads, never through a link, to a regular file that holds exactly this. It does not wait: each block asks
 * twice, and a wait for a thread of Node takes longer than the calls.
 */
export function hasContentConfined(root: string, parts: readonly string[], content: Buffer): boolean {
  let file: number | undefined
  try {
    using directory = openDirectory(root, parts.slice(0, -1), { make: false })
    // A pipe would keep us waiting for a writer.
    file = openSync(directory.entry(parts.at(-1) ?? ''), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fstatSync(file)
    return stat.isFile() && stat.size === content.length && content.equals(readFileSync(file))
  } catch (error) {
    if (FileRefusedError.isInstance(error) || errorCode(error) !== '') return false
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Returns the entry at a path below `root`, which can be a link; `undefined` for a missing entry. */
export function statConfined(root: string, parts: readonly string[]): SandboxEntry | undefined {
  using parent = openParent(root, parts)
  if (parent === undefined) return undefined
  const path = parent.entry(parts.at(-1) ?? '')
  const entry = entryAt(path)
  const linkTarget = entry?.kind === 'link' ? targetOf(path) : undefined
  return entry === undefined || linkTarget === undefined ? entry : { ...entry, linkTarget }
}

/** `undefined` when a program has put something else in the place of the link. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'EINVAL' && !isGone.has(errorCode(error))) throw error
    return undefined
  }
}

/** A larger directory is not listed: a program can fill one without end. */
const mostEntries = 100_000

/**
 * Lists a directory below `root`, by name; `undefined` for a missing directory.
 *
 * @param most - how many names it may have.
 * @throws FileRefusedError when it has more.
 */
export async function listConfined(
  root: string,
  parts: readonly string[],
  most = mostEntries,
): Promise<ReadonlyMap<string, SandboxEntry> | undefined> {
  const directory = openIfThere(root, parts)
  if (directory === undefined) return undefined
  try {
    const entries = new Map<string, SandboxEntry>()
    let count = 0
    // Some at a time, so that this process does other work in between.
    for await (const { name } of await opendir(directory.entry('.'), { bufferSize: 256 })) {
      if (count++ === most) throw refusal(parts, `has more than ${most} names, which is too many to list`)
      const entry = entryAt(directory.entry(name))
      // Removed meanwhile.
      if (entry !== undefined) entries.set(name, entry)
    }
    return entries
  } finally {
    directory[Symbol.dispose]()
  }
}

function entryAt(path: string): SandboxEntry | undefined {
  const stat = statAt(path)
  if (stat === undefined) return undefined
  const kind = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'directory'
      : stat.isSymbolicLink()
        ? 'link'
        : 'other'
  return {
    kind,
    sizeBytes: kind === 'file' ? stat.size : 0,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
    gid: stat.gid,
    changedAtMs: stat.mtimeMs,
  }
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch (error) {
    if (!isGone.has(errorCode(error))) throw error
    return undefined
  }
}

/** A path that is too long for the system is the name of nothing. */
const isGone = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])
const isNotThere = new Set([...isGone, 'ELOOP', 'ENXIO', 'EACCES', 'EPERM'])

/**
 * Removes a file below `root`, never through a link. A missing file counts as removed.
 *
 * @returns `false` when a directory is in its place: while code may run there, nothing is removed but what we made.
 */
export function removeConfined(root: string, parts: readonly string[]): boolean {
  using parent = openParent(root, parts)
  if (parent === undefined) return true
  try {
    unlinkSync(parent.entry(parts.at(-1) ?? ''))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (isGone.has(code)) return true
    // EPERM: POSIX.
    if (code === 'EISDIR' || code === 'EPERM') return false
    throw error
  }
}

/** Removes a directory below `root` if it is empty. */
export function removeEmptyDirectoryConfined(root: string, parts: readonly string[]): void {
  using parent = openParent(root, parts)
  if (parent === undefined) return
  try {
    rmdirSync(parent.entry(parts.at(-1) ?? ''))
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error
  }
}

/** Returns `undefined` for a missing directory. */
function openParent(root: string, parts: readonly string[]): OpenDirectory | undefined {
  return openIfThere(root, parts.slice(0, -1))
}

function openIfThere(root: string, parts: readonly string[]): OpenDirectory | undefined {
  try {
    return openDirectory(root, parts, { make: false })
  } catch (error) {
    if (!FileRefusedError.isInstance(error) && !isGone.has(errorCode(error))) throw error
    return undefined
  }
}
