import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes certificates to a file, which is removed when this process exits. Returns its path. */
export function certificateFile(certificates: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'ca.pem')
  writeFileSync(path, certificates)
  return path
}
