// @module-tag all

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

/** Other tests have temporary directories of their own, which come and go meanwhile. */
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-leftovers-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('nothing is left behind', () => {
  // Of 2,000 blocks `pnpm soak blocks` asks the same.
  it('fifty blocks leave no descriptor, timer, listener, file or process', {
    timeout: 300_000,
  }, async () => {
    const seconds = `${uniqueSeconds()}`
    const { before, after, workDirLeft } = JSON.parse((await run('many-blocks.ts', seconds)).stdout)
    // What the first block starts in the background may end meanwhile.
    for (const [what, count] of Object.entries(after)) expect(count, what).toBeLessThanOrEqual(before[what])
    expect(workDirLeft).toBe(false)
    expect(await processesLeft(seconds)).toEqual([])
  })

  it('a flood for three seconds does not fill memory, and its head and the count of what was cut are there', async () => {
    const flood = JSON.parse((await run('flood.ts')).stdout)
    expect(flood).toMatchObject({ status: 'timeout', head: 'y\ny\n' })
    expect(flood.outputLength).toBeGreaterThan(2 ** 20)
    expect(flood.dropped).toBeGreaterThan(2 ** 20)
    // Gigabytes on an idle machine. Memory depends on when the engine collects what was read: 11 MiB there.
    expect(flood.grewBy).toBeLessThan(2 ** 27)
  })

  it.each(['exit', 'throw', 'SIGINT', 'SIGTERM'])(
    'a host that leaves by %s takes its programs along',
    rowTags({ nightly: ['by exit', 'by throw', 'by SIGTERM'] }),
    async (way) => {
      const seconds = `${uniqueSeconds()}`
      const { stdout: workDir } = await run('host-that-leaves.ts', way, seconds).catch((error) => error)
      expect(workDir).toMatch(/fenced-/)
      expect(await processesLeft(seconds)).toEqual([])
      expect(existsSync(workDir.trim())).toBe(false)
    },
  )

  describe.runIf(process.platform === 'linux')(
    'a host that exits while its program makes directories',
    () => {
      const setups = [
        { isolation: 'none', warm: 'cold' },
        { isolation: 'none', warm: 'warm' },
        { isolation: 'bubblewrap', warm: 'cold' },
        { isolation: 'bubblewrap', warm: 'warm' },
      ].filter(({ isolation }) => isolation === 'none' || !bubblewrap.missing)
      it.each(setups)(
        'ends the program before it removes its directory: $isolation, $warm',
        rowTags({ nightly: ['bubblewrap, cold'] }),
        async (setup) => {
          const { stdout: workDir } = await run('host-that-exits.ts', setup.isolation, setup.warm)
          expect(workDir).toMatch(/fenced-/)
          expect(existsSync(workDir.trim())).toBe(false)
        },
      )
    },
  )

  it.runIf(process.platform === 'linux')(
    'the programs of a host that is killed end, and the next one removes its directory',
    async () => {
      const seconds = [uniqueSeconds(), uniqueSeconds()].map(String)
      const { stdout: workDir } = await run('host-that-leaves.ts', 'SIGKILL', ...seconds).catch(
        (error) => error,
      )
      expect(await Promise.all(seconds.map(processesLeft))).toEqual([[], []])
      expect(existsSync(workDir.trim())).toBe(true)
      await run('next-host.ts')
      expect(existsSync(workDir.trim())).toBe(false)
    },
  )

  it.runIf(process.platform === 'linux')(
    'the file of a program whose host is killed is removed from the working directory at the next start',
    async () => {
      const workDir = join(folder, 'kept')
      const seconds = [uniqueSeconds(), uniqueSeconds()].map(String)
      await run('host-that-leaves.ts', 'SIGKILL', ...seconds, workDir).catch(() => {})
      expect(await readdir(workDir)).toEqual([expect.stringMatching(/^\.fenced-[0-9a-f]+\.sh$/)])
      await using executor = new LocalCommandLineCodeExecutor({ workDir })
      await executor.start()
      expect(await readdir(workDir)).toEqual([])
    },
  )
})

async function run(program: string, ...args: string[]): Promise<{ stdout: string }> {
  const file = join(import.meta.dirname, 'programs', program)
  return promisify(execFile)(process.execPath, ['--conditions=@fenced/source', file, ...args], {
    env: { ...process.env, TMPDIR: folder },
  })
}
