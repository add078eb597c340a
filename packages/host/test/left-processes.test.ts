import { execFileSync, type SpawnSyncOptions } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mayBeLeft } from '../src/left-processes.ts'
import { stateOf } from '../src/process-state.ts'

const markName = 'A_MARK'

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fenced-left-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

/** Starts a process in a separate session, whose parent has ended. @returns its number. */
async function startOrphan(options: SpawnSyncOptions): Promise<string> {
  const command = 'setsid sleep 600 > /dev/null 2>&1 & echo $!'
  const id = execFileSync('sh', ['-c', command], { env: { PATH: process.env.PATH }, ...options })
    .toString()
    .trim()
  onTestFinished(() => void process.kill(Number(id), 'SIGKILL'))
  await expect.poll(() => stateOf(id)?.session).toBe(Number(id))
  await expect.poll(() => stateOf(id)?.parent).not.toBe(process.pid)
  return id
}

describe.skipIf(process.platform !== 'linux')('a process without its parent', () => {
  test('may be left over from a program that has ended in its directory', async () => {
    const directory = newDirectory()
    const id = await startOrphan({ cwd: directory })
    const run = { leader: 1, directory, older: new Set<string>() }
    expect(mayBeLeft(id, run, markName)).toBe(true)
    expect(mayBeLeft(id, { ...run, older: new Set([id]) }, markName)).toBe(false)
    expect(mayBeLeft(id, { ...run, directory: newDirectory() }, markName)).toBe(false)
  })

  test('is not left over where the program ran in the root directory', async () => {
    const id = await startOrphan({ cwd: '/' })
    expect(mayBeLeft(id, { leader: 1, directory: '/', older: new Set() }, markName)).toBe(false)
  })

  test('is not left over where it has the mark of a run', async () => {
    const directory = newDirectory()
    const env = { PATH: process.env.PATH, [markName]: 'another' }
    const id = await startOrphan({ cwd: directory, env })
    expect(mayBeLeft(id, { leader: 1, directory, older: new Set() }, markName)).toBe(false)
  })

  test.skipIf(process.getuid?.() !== 0)('is not left over where another user has started it', async () => {
    const directory = newDirectory()
    const id = await startOrphan({ cwd: directory, uid: 65_534 })
    expect(mayBeLeft(id, { leader: 1, directory, older: new Set() }, markName)).toBe(false)
  })
})
