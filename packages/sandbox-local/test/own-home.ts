import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'

/** Gives the user another home for a test file, so that no other process forgets what it has tested. HOME is not asked for it. */
export function useOwnHome(): void {
  const homedir = mkdtempSync(join(os.tmpdir(), 'fenced-home-'))
  const ids = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
  vi.spyOn(os, 'userInfo').mockReturnValue({ ...ids, username: '', shell: null, homedir })
  syncBuiltinESMExports()
  afterAll(() => rmSync(homedir, { recursive: true, force: true }))
}
