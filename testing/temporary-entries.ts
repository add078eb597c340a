import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the directory in which Fenced keeps all temporary files of this user. */
export const temporaryParentName = `fenced-${process.getuid?.() ?? 'user'}`

/** Names in a `TMPDIR`, with the names in that directory in place of the directory’s name. */
export function temporaryEntries(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    name === temporaryParentName ? readdirSync(join(folder, name)) : [name],
  )
}
