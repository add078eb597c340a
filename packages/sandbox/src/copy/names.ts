import { ignoredDirectories } from '@fenced/core/internal'

/** The directory that a name is in; names have `/` between their parts, and the working directory is the empty one. */
export function parentOf(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf('/'), 0))
}

/** The directories above a name, the outermost first. */
export function ancestorsOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Whether a name is a directory or below it. */
export function isWithin(name: string, directory: string): boolean {
  return directory === '' || name === directory || name.startsWith(`${directory}/`)
}

/** The names that are in no directory of the same set. */
export function outermost(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !names.has(parentOf(name)))
}

/** The outermost ignored directory on a path, including the path itself; `undefined` when no part is ignored. */
export function ignoredPart(directory: string): string | undefined {
  const parts = directory.split('/')
  const index = parts.findIndex((part) => ignoredDirectories.has(part))
  return index === -1 ? undefined : parts.slice(0, index + 1).join('/')
}
