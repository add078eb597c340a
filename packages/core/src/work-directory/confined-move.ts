import { lstatSync, renameSync, unlinkSync } from 'node:fs'
import { copyEntry, type Place } from './confined-copy.ts'
import {
  errorCode,
  ignoring,
  namedError,
  type OpenDirectory,
  openDirectory,
  refusal,
} from './open-directory.ts'
import { removeTree } from './remove-tree.ts'
import { temporaryFileName } from './temporary-files.ts'
import type { FileRefusedError } from './work-directory.ts'

/** An entry below a root and its new place, as names below the root, none of them `.` or `..`. */
export interface Transfer {
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** Whether a file or link at `to` is replaced. */
  readonly overwrite: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Moves an entry below `root` and never follows a link below it, also while programs change the directories. Directories above the new
 * place are made. Across file systems the entry is copied and then removed.
 *
 * @throws FileRefusedError when the entry is missing, or something that may not be replaced is in its new place.
 */
export async function moveConfined(root: string, transfer: Transfer): Promise<void> {
  try {
    using places = openPlaces(root, transfer)
    const { source, target } = places
    // Of two names of one file, rename(2) would keep both.
    if (isSameFile(source.path, target.path)) unlinkSync(source.path)
    else if (!renamed(source.path, target.path)) {
      await copyInto(root, places, transfer)
      await removeTree(root, { below: transfer.from })
    }
  } catch (error) {
    throw namedError(error, transfer.to)
  }
}

/**
 * Copies a file, a link, or a directory with its content in the same way. The copy appears as a whole: it is made beside its place. It
 * has new dates and, as each new file, the owner of the directory.
 *
 * @throws FileRefusedError as for a move, and for a pipe, a socket or a device, at any depth.
 */
export async function copyConfined(root: string, transfer: Transfer): Promise<void> {
  try {
    using places = openPlaces(root, transfer)
    await copyInto(root, places, transfer)
  } catch (error) {
    throw namedError(error, transfer.to)
  }
}

/** An entry of an open directory. */
interface OpenPlace extends Place {
  readonly path: string
}

interface OpenPlaces extends Disposable {
  readonly source: OpenPlace
  readonly target: OpenPlace
}

function openPlaces(root: string, { from, to, overwrite }: Transfer): OpenPlaces {
  if (from.every((name, index) => to[index] === name)) throw refusal(from, 'cannot be put into itself')
  const source = openPlace(openSource(root, from), from)
  try {
    const entry = lstatSync(source.path, { throwIfNoEntry: false })
    if (entry === undefined) throw missing(from)
    const target = openPlace(openDirectory(root, to.slice(0, -1), { make: true }), to)
    try {
      checkTarget(target, { overwrite, isDirectory: entry.isDirectory() })
    } catch (error) {
      target.directory[Symbol.dispose]()
      throw error
    }
    return {
      source,
      target,
      [Symbol.dispose]() {
        source.directory[Symbol.dispose]()
        target.directory[Symbol.dispose]()
      },
    }
  } catch (error) {
    source.directory[Symbol.dispose]()
    throw error
  }
}

function openPlace(directory: OpenDirectory, parts: readonly string[]): OpenPlace {
  return { directory, parts, path: directory.entry(parts.at(-1) ?? '') }
}

function openSource(root: string, parts: readonly string[]): OpenDirectory {
  try {
    return openDirectory(root, parts.slice(0, -1), { make: false })
  } catch (error) {
    throw parts.length > 1 && errorCode(error) === 'ENOENT' ? missing(parts) : error
  }
}

function checkTarget(
  { parts, path }: OpenPlace,
  { overwrite, isDirectory }: { readonly overwrite: boolean; readonly isDirectory: boolean },
): void {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!overwrite) throw refusal(parts, 'exists')
  if (there.isDirectory()) throw refusal(parts, 'is a directory, which is never replaced')
  if (isDirectory) throw refusal(parts, 'is not a directory, and a directory cannot replace it')
}

/** `false` between two file systems. */
function renamed(from: string, to: string): boolean {
  return ignoring('EXDEV', () => renameSync(from, to) === undefined) ?? false
}

async function copyInto(root: string, { source, target }: OpenPlaces, { signal }: Transfer): Promise<void> {
  const parts = [...target.parts.slice(0, -1), temporaryFileName('tmp')]
  const temporary = openPlace(target.directory, parts)
  try {
    await copyEntry(source, temporary, { root, signal })
    renameSync(temporary.path, target.path)
  } catch (error) {
    // Report why it had to be removed.
    await removeTree(root, { below: parts }).catch(() => {})
    throw error
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

function missing(parts: readonly string[]): FileRefusedError {
  return refusal(parts, 'does not exist', 'ENOENT')
}
