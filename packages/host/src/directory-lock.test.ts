import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { thisOwner } from '@fenced/host'
import { expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from './directory-lock.ts'

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
  const second = lockDirectory(path, { signal: controller.signal, onNotice: ({ code }) => codes.push(code) })
  await delay(150)
  controller.abort()
  await expect(second).rejects.toThrow('aborted')
  expect(codes).toEqual(['waiting'])
  expect(await readdir(join(path, '..'))).toEqual(['venv.lock'])
})
