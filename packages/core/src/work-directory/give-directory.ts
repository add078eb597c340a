import { chownSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { openRoot } from './open-directory.ts'
import { type Owner, rootId } from './owner.ts'
import { visitTree } from './visit-tree.ts'

/**
 * Makes another user the owner of a directory of root's that is empty or `isOurs`, with all files and directories of root's in it.
 * Any other directory is left as it is: what the caller has there stays the caller's. Linux only.
 *
 * @param root - the real path of the directory.
 */
export async function giveDirectory(
  root: string,
  { userId, groupId }: Owner,
  { isOurs }: { readonly isOurs: boolean },
): Promise<void> {
  using directory = openRoot(root)
  const itself = directory.entry('.')
  if (statSync(itself).uid !== rootId || !(isOurs || readdirSync(itself).length === 0)) return
  chownSync(itself, userId, groupId)
  await visitTree(root, (path) => {
    if (lstatSync(path).uid === rootId) lchownSync(path, userId, groupId)
  })
}
