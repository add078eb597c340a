import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processesLeft } from '@fenced/core/testing'
import { describe, expect, it } from 'vitest'

describe('nothing is left behind', () => {
  it('a thousand blocks leave no descriptor, timer, listener, file or process', {
    timeout: 300_000,
  }, async () => {
    const { before, after, workDirLeft } = JSON.parse((await run('thousand-blocks.ts')).stdout)
    expect(after).toEqual(before)
    expect(workDirLeft).toBe(false)
    expect(await processesLeft('sleep 7702')).toEqual([])
  })

  it('a flood for three seconds does not fill memory, and its head and the count of what was cut are there', async () => {
    const flood = JSON.parse((await run('flood.ts')).stdout)
    expect(flood).toMatchObject({ status: 'timeout', head: 'y\ny\n' })
    expect(flood.grewBy).toBeLessThan(32 * 2 ** 20)
    expect(flood.outputLength).toBeGreaterThan(2 ** 20)
    expect(flood.dropped).toBeGreaterThan(2 ** 20)
  })

  it.each(['exit', 'throw', 'SIGTERM'])('a host that leaves by %s takes its programs along', async (way) => {
    const seconds = `7703.${process.pid}${way.length}`
    const { stdout: workDir } = await run('host-that-leaves.ts', way, seconds).catch((error) => error)
    expect(workDir).toMatch(/fenced-/)
    expect(await processesLeft(seconds)).toEqual([])
    // A process that ends by a signal runs no code of its own any more, so its temporary directory stays.
    if (way === 'SIGTERM') await rm(workDir.trim(), { recursive: true })
    expect(existsSync(workDir.trim())).toBe(false)
  })
})

async function run(program: string, ...args: string[]): Promise<{ stdout: string }> {
  const file = join(import.meta.dirname, 'programs', program)
  return promisify(execFile)(process.execPath, ['--conditions=@fenced/source', file, ...args])
}
