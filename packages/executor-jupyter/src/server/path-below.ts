import { isAbsolute, relative, sep } from 'node:path'

/** What a server whose root is `root` calls a directory of this machine; the root itself (`''`) for one that is not below it. */
export function pathBelow(root: string, directory: string): string {
  const path = relative(root, directory)
  return path.startsWith('..') || isAbsolute(path) ? '' : path.split(sep).join('/')
}
