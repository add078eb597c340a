import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { identityOf } from './directory-identity.ts'
import { directoriesLeftMounted, type LeaseRecord } from './lease-folder.ts'
import { ignoring, O_PATH } from './open-directory.ts'
import { visitTree } from './visit-tree.ts'

/** The set-user-ID and set-group-ID bits. */
const setId = 0o6000

/**
 * Clears the set-user-ID and set-group-ID bits of all regular files below a directory.
 *
 * @param root - the real path of a directory.
 * @returns whether no such file is left, as far as this user can tell.
 * @throws EBUSY as {@link visitTree}.
 */
export async function clearSetIds(root: string): Promise<boolean> {
  if (process.platform !== 'linux') return true
  return visitTree(root, (path, isDirectory) => {
    if (!isDirectory && (lstatSync(path).mode & setId) !== 0) clearSetId(path)
  })
}

/**
 * Does the same in directories that a container had mounted when its host was killed. Never throws: a directory that could not be
 * finished is tried again by the next start.
 */
export async function clearAfterKilledHosts(): Promise<void> {
  try {
    for (const left of directoriesLeftMounted()) await clearIfSame(left).then(left.forget, () => {})
  } catch {
    // The start that follows reports a folder of leases that cannot be used.
  }
}

/** Another directory can have its path by now. */
async function clearIfSame({ path, lineage: [left] }: LeaseRecord): Promise<void> {
  const found = ignoring('ENOENT', () => identityOf(path))
  if (found?.id === left?.id && found?.born === left?.born) await clearSetIds(path)
}

/** Clears the bits of one regular file, never through a link. */
export function clearSetId(path: string | Buffer): void {
  if (process.platform !== 'linux') return
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    const stat = fstatSync(descriptor)
    if (stat.isFile()) chmodSync(`/proc/self/fd/${descriptor}`, stat.mode & 0o1777)
  } finally {
    closeSync(descriptor)
  }
}
