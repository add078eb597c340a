import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ignoring, refusal } from './open-directory.ts'

/** The last line of defence for names that come from elsewhere: they have been checked before. */
export function partsOf(name: string): string[] {
  const parts = name.split('/')
  if (parts.some((part) => ['', '.', '..'].includes(part) || forbidden.test(part))) {
    throw refusal(parts, 'is not a name of a file below it')
  }
  return parts
}

const forbidden = process.platform === 'win32' ? /[\0\\:]/ : /\0/

export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

/** Node's own recursive `mkdir` hangs where an existing directory refuses new directories (/proc). */
export function makeDirectory(path: string, mode: number): void {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (!isDirectory(parent)) makeDirectory(parent, 0o777)
  // Another process may have made it meanwhile.
  ignoring('EEXIST', () => mkdirSync(path, { mode }))
  if (!isDirectory(path)) throw new Error('something else is in its place')
}
