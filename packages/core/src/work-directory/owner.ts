import { chownSync, fchownSync, readdirSync, statSync } from 'node:fs'

/** A user, as for chown(2). */
export interface Owner {
  readonly userId: number
  readonly groupId: number
}

/** The number of the user who may change the owner of files. */
export const rootId = 0

/**
 * Root gives what it makes in another user's directory to that user, whose programs could not change it otherwise.
 *
 * @param parent - a path of the open directory.
 * @param made - the descriptor of a file, or a path of an open directory. Only an empty one changes hands: a program may have put
 *   another in its place.
 */
export function inheritOwner(parent: string, made: number | string): void {
  if (process.getuid?.() !== rootId) return
  const { uid, gid } = statSync(parent)
  if (uid === rootId) return
  if (typeof made === 'number') fchownSync(made, uid, gid)
  else if (readdirSync(made).length === 0) chownSync(made, uid, gid)
}
