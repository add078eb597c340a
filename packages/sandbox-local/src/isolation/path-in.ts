import { isAbsolute, relative } from 'node:path'

/** Whether `path` is `root` or lies below it, by their names. */
export function isIn(path: string, root: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}
