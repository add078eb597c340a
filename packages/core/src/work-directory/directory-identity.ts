import { statSync } from 'node:fs'

/** A directory, however it is named now. */
export interface DirectoryIdentity {
  /** Device and inode. */
  readonly id: string
  /** When it was made, because another directory can get its inode later. Not every file system knows it. */
  readonly born: string
}

export function identityOf(path: string): DirectoryIdentity {
  const { dev, ino, birthtimeNs } = statSync(path, { bigint: true })
  return { id: `${dev}:${ino}`, born: `${birthtimeNs}` }
}
