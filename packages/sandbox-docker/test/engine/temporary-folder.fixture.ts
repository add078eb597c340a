import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder with these files, until the test has finished. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  // Short: the path of a socket has room for about a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'fenced-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}
