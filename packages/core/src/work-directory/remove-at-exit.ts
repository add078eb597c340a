import { removeTreeNow } from './remove-tree.ts'

const directories = new Set<string>()

/** How long this process may be held up for one directory, in milliseconds. */
const longestMs = 5_000

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
  for (const directory of directories) {
    try {
      removeTreeNow(directory, { limitMs: longestMs })
    } catch {
      // An exception here would change how this process ends.
    }
  }
}
