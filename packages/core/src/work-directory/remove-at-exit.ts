import { rmSync } from 'node:fs'

const directories = new Set<string>()

/** Removes a directory when this process ends by itself without having stopped its executors. */
export function removeAtExit(directory: string): void {
  // One listener for all: Node warns about many.
  if (directories.size === 0) process.on('exit', removeAll)
  directories.add(directory)
}

/** The directory is gone, or its owner sees to it. */
export function forgetAtExit(directory: string): void {
  directories.delete(directory)
  if (directories.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}
