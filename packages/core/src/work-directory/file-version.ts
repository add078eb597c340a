import { type BigIntStats, lstatSync } from 'node:fs'

/** Changes whenever the content may have changed: the change time cannot be set by a program, unlike the modification time. */
export function versionOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`
}

/** A program can make files that we cannot look at: gone by now, locked, or with a path that is too long. */
export function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
