import { isAbsolute, relative, sep } from 'node:path'

/** Path of a directory relative to the root of a server; `''`, the root, for a directory outside of it. */
export function pathBelow(root: string, directory: string): string {
  const path = relative(root, directory)
  return path.startsWith('..') || isAbsolute(path) ? '' : path.split(sep).join('/')
}
