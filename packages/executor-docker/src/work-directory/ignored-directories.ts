/**
 * Directories that stay on the side that made them: a tool makes them again when they are missing, for its own
 * system, and they live by links, which are not carried over.
 */
export const ignoredDirectories: ReadonlySet<string> = new Set(['__pycache__', 'node_modules', '.venv'])

/** The outermost ignored directory that a directory is or is in; `undefined` when there is none. */
export function ignoredPart(directory: string): string | undefined {
  const parts = directory.split('/')
  const index = parts.findIndex((part) => ignoredDirectories.has(part))
  return index === -1 ? undefined : parts.slice(0, index + 1).join('/')
}
