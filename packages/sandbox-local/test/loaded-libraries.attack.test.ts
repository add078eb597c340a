import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

/** Names the directories in which what starts a sandbox would look for libraries. */
const ways: ReadonlyArray<readonly [way: string, options: (directory: string) => LocalSandboxOptions]> = [
  ['the option env', (directory) => ({ env: { LD_LIBRARY_PATH: directory } })],
  [
    'an empty name in a variable that is inherited',
    () => {
      vi.stubEnv('LD_LIBRARY_PATH', ':/opt/lib')
      return { inheritEnv: true }
    },
  ],
]

describe.skipIf(bubblewrap.missing)('a library that code in bubblewrap leaves', () => {
  it.each(ways)('is loaded by nothing outside, also where %s names its directory', async (_, options) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-libraries-'))
    try {
      await using sandbox = new LocalSandbox({
        isolation: 'bubblewrap',
        workDir: directory,
        ...options(directory),
      })
      await sandbox.start()
      const run = async (script: string) => {
        const process = await sandbox.spawn(['/bin/sh', '-c', `exec 2>&1\n${script}`])
        return await text(process.stdout)
      }
      // bubblewrap needs them, and a shell does not. What loads a file without a library in it fails.
      await run('for name in libcap.so.2 libselinux.so.1; do echo evil > $name; done')
      expect(await run('echo "$LD_LIBRARY_PATH"')).toMatch(/^(:|\/).*\n$/)
    } finally {
      vi.unstubAllEnvs()
      await rm(directory, { recursive: true })
    }
  })
})
