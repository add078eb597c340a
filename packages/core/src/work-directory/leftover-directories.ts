import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isOwnerGone, type ProcessOwner, parseOwner } from '../process-owner.ts'
import { removeTree } from './remove-tree.ts'

/** How long it may take to remove what is left, in milliseconds. */
const longestMs = 30_000

/** No record is longer, in bytes. */
const longestRecord = 200

const recordName = /^(fenced-[0-9a-f]{16})\.owner$/

/**
 * The file that names the owner of a temporary directory. It is beside it: code can write into the directory, and its
 * path stays short.
 */
export function recordOf(path: string): string {
  return `${path}.owner`
}

/** Removes the temporary directories in a folder whose owner is gone. What cannot be removed is left to the next time. */
export async function removeLeftoverDirectories(folder: string): Promise<void> {
  const giveUpAt = performance.now() + longestMs
  for await (const { name } of await opendir(folder)) {
    const limitMs = giveUpAt - performance.now()
    if (limitMs < 0) return
    const [, directory] = recordName.exec(name) ?? []
    if (directory !== undefined)
      await removeLeftoverDirectory(join(folder, directory), limitMs).catch(() => {})
  }
}

/**
 * Removes a temporary directory whose owner is gone, and nothing else: it and its record have to be this user's, and
 * neither may be a link.
 *
 * @throws the first error of the system, when everything else in it that can be removed is removed.
 */
export async function removeLeftoverDirectory(path: string, limitMs = longestMs): Promise<void> {
  const record = recordOf(path)
  if (!recordName.test(basename(record))) return
  const owner = readRecord(record)
  if (owner === undefined || !isOwnerGone(owner)) return
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && !(stat.isDirectory() && isOurs(stat))) return
  if (stat !== undefined) await removeTree(path, { limitMs })
  rmSync(record, { force: true })
}

/** `undefined` when it is no record of this user's. */
function readRecord(path: string): ProcessOwner | undefined {
  // A name in a folder that everybody can write to may be anything, also a pipe.
  const descriptor = openSync(path, constants.O_RDONLY | noFollow | nonBlocking)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || !isOurs(stat) || stat.size > longestRecord) return undefined
    const bytes = Buffer.alloc(longestRecord)
    return parseOwner(bytes.toString('latin1', 0, readSync(descriptor, bytes)))
  } finally {
    closeSync(descriptor)
  }
}

/** Windows has neither, and no links that a user can make without more rights. */
const { O_NOFOLLOW: noFollow = 0, O_NONBLOCK: nonBlocking = 0 } = constants

function isOurs({ uid }: { readonly uid: number }): boolean {
  return uid === (process.getuid?.() ?? uid)
}
