// @module-tag all

import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Notice } from '@fenced/core'
import { thisOwner } from '@fenced/shared'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { abandonedLocks, lockDirectory } from '../src/directory-lock.ts'

async function pathToLock(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'venv')
}

/** As a process leaves it that was killed. */
async function abandon(path: string, id: string): Promise<void> {
  const { pid } = spawnSync(process.execPath, ['--version'])
  await writeFile(
    `${path}.lock`,
    JSON.stringify({ ...thisOwner(), processId: pid, processStart: 'long ago', id }),
  )
}

test('of many that find an abandoned lock one at a time gets it, and each gets it', async () => {
  const path = await pathToLock()
  for (let round = 0; round < 10; round++) {
    await abandon(path, `${round}`)
    let inside = 0
    const visits = Array.from({ length: 10 }, async (_, index) => {
      await delay(index % 3)
      await using _lock = await lockDirectory(path, {})
      expect(++inside).toBe(1)
      await delay(index % 4)
      inside--
    })
    await Promise.all(visits)
  }
  expect(await readdir(join(path, '..'))).toEqual([])
})

test('a lock that was taken over from an abandoned one is left alone', async () => {
  const path = await pathToLock()
  await abandon(path, 'first')
  // What two who wait find; the second acts on it when the first has its own lock already.
  const holder = await lockDirectory(path, {})
  const own = await readFile(`${path}.lock`, 'utf8')
  const waiting = lockDirectory(path, {})
  await delay(200)
  expect(await readFile(`${path}.lock`, 'utf8')).toBe(own)
  await holder[Symbol.asyncDispose]()
  await (await waiting)[Symbol.asyncDispose]()
  expect(await readdir(join(path, '..'))).toEqual([])
})

test('waiting is announced once, and ends when it is cancelled', async () => {
  const path = await pathToLock()
  await using _lock = await lockDirectory(path, {})
  const codes: string[] = []
  const controller = new AbortController()
  const announced = Promise.withResolvers<void>()
  const onNotice = ({ code }: Notice) => {
    codes.push(code)
    announced.resolve()
  }
  const second = lockDirectory(path, { signal: controller.signal, onNotice })
  await announced.promise
  // It tries again meanwhile.
  await delay(150)
  controller.abort()
  await expect(second).rejects.toThrow('aborted')
  expect(codes).toEqual(['waiting'])
  expect(await readdir(join(path, '..'))).toEqual(['venv.lock'])
})

describe('a lock of a process that cannot be looked up', () => {
  const other = { realm: 'another container', processId: 7, processStart: '', id: 'other' }
  const text = JSON.stringify(other)

  /** Replaces the clock of the process that waits. */
  function clock(now: () => number): void {
    vi.spyOn(performance, 'now').mockImplementation(now)
    onTestFinished(() => void vi.restoreAllMocks())
  }

  it.each([
    ['of another container', text],
    ['without content', ''],
    ['with damaged content', text.slice(0, 40)],
  ])('%s is removed once it has not been touched for a minute', async (_, content) => {
    const path = await pathToLock()
    await writeFile(`${path}.lock`, content)
    const startedAt = Date.now()
    clock(() => (Date.now() - startedAt) * 1_000)
    const notices: string[] = []
    const lock = await lockDirectory(path, { onNotice: ({ message }) => notices.push(message) })
    expect(notices).toEqual([expect.stringContaining(`${path}.lock`)])
    await lock[Symbol.asyncDispose]()
    expect(await readdir(join(path, '..'))).toEqual([])
  })

  it('stays while it is touched, and that of a running process in any case', () => {
    let now = 0
    clock(() => now)
    const [isOthersAbandoned, isOursAbandoned] = [abandonedLocks(), abandonedLocks()]
    const seenAt = (timeMs: number, version: string) => {
      now = timeMs
      const ours = { ...thisOwner(), id: 'ours' }
      return [isOthersAbandoned({ holder: other, version }), isOursAbandoned({ holder: ours, version })]
    }
    expect(seenAt(0, 'first')).toEqual([false, false])
    expect(seenAt(60_000, 'first')).toEqual([false, false])
    expect(seenAt(60_001, 'touched')).toEqual([false, false])
    expect(seenAt(120_001, 'touched')).toEqual([false, false])
    expect(seenAt(120_002, 'touched')).toEqual([true, false])
  })
})

test('a holder touches its lock, and leaves a lock alone that replaced it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const path = await pathToLock()
  const held = await lockDirectory(path, {})
  await utimes(`${path}.lock`, 1, 1)
  vi.advanceTimersByTime(10_000)
  await expect.poll(async () => (await stat(`${path}.lock`)).mtimeMs).toBeGreaterThan(1_000)
  await writeFile(`${path}.lock`, 'of another process')
  await held[Symbol.asyncDispose]()
  expect(await readdir(join(path, '..'))).toEqual(['venv.lock'])
})
