import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  listConfined,
  openConfined,
  removeConfined,
  statConfined,
} from '../../src/work-directory/confined-files.ts'
import { openPaths, temporaryDirectory } from './temporary-directory.fixture.ts'

async function read(root: string, name: string): Promise<string | undefined> {
  const file = await openConfined(root, name.split('/'))
  try {
    return await file?.readFile('utf8')
  } finally {
    await file?.close()
  }
}

test('a file is read', async () => {
  await using directory = await temporaryDirectory()
  mkdirSync(join(directory.path, 'sub'))
  writeFileSync(join(directory.path, 'sub', 'a'), 'content')
  expect(await read(directory.path, 'sub/a')).toBe('content')
})

test('anything else is none, without waiting and without a trace', async () => {
  await using directory = await temporaryDirectory()
  const root = join(directory.path, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(join(directory.path, 'outside'))
  writeFileSync(join(directory.path, 'outside', 'theirs'), 'theirs')
  symlinkSync(join(directory.path, 'outside', 'theirs'), join(root, 'link'))
  symlinkSync(join(directory.path, 'outside'), join(root, 'links'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  for (const name of ['link', 'links/theirs', 'pipe', 'sub', 'missing', 'missing/a', 'pipe/a']) {
    expect([name, await read(root, name)]).toEqual([name, undefined])
  }
  expect(openPaths(directory.path)).toEqual([])
})

test.skipIf(process.getuid?.() === 0)('one that may not be read is none', async () => {
  await using directory = await temporaryDirectory()
  writeFileSync(join(directory.path, 'locked'), '')
  chmodSync(join(directory.path, 'locked'), 0o000)
  expect(await read(directory.path, 'locked')).toBeUndefined()
})

test('a name or path that is too long is that of nothing', async () => {
  await using directory = await temporaryDirectory()
  const root = directory.path
  for (const name of ['a'.repeat(5_000), `${'a'.repeat(5_000)}/b`, 'a/'.repeat(5_000).slice(0, -1)]) {
    const parts = name.split('/')
    const found = [
      await openConfined(root, parts),
      statConfined(root, parts),
      await listConfined(root, parts),
    ]
    expect(found).toEqual([undefined, undefined, undefined])
    expect(removeConfined(root, parts)).toBe(true)
  }
})

test('a directory is listed that has as many names as may be, and a larger one is refused', async () => {
  await using directory = await temporaryDirectory()
  mkdirSync(join(directory.path, 'sub'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(directory.path, 'sub', name), name)
  const listed = await listConfined(directory.path, ['sub'], 3)
  expect([...(listed?.keys() ?? [])].toSorted()).toEqual(['a', 'b', 'c'])
  await expect(listConfined(directory.path, ['sub'], 2)).rejects.toMatchObject({ data: { path: 'sub' } })
  expect(openPaths(directory.path)).toEqual([])
})
