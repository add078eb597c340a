import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'

/** Uses another home directory during a test file, so that its records do not affect other processes. Fenced does not read `HOME` here. */
export function useOwnHome(): void {
  const homedir = mkdtempSync(join(os.tmpdir(), 'fenced-home-'))
  const ids = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
  vi.spyOn(os, 'userInfo').mockReturnValue({ ...ids, username: '', shell: null, homedir })
  syncBuiltinESMExports()
  afterAll(() => rmSync(homedir, { recursive: true, force: true }))
}
