import { ignoredDirectories } from '@fenced/core/internal'

/** The outermost ignored directory that a directory is or is in; `undefined` when there is none. */
export function ignoredPart(directory: string): string | undefined {
  const parts = directory.split('/')
  const index = parts.findIndex((part) => ignoredDirectories.has(part))
  return index === -1 ? undefined : parts.slice(0, index + 1).join('/')
}
