import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
import { expect, onTestFinished, test } from 'vitest'
import type { CopyReport } from '../../src/copy/copy-report.ts'
import { DirectoryCopy } from '../../src/copy/directory-copy.ts'
import {
  archiveOf,
  backendWith,
  type HandmadeEntry,
  ownEntry,
} from '../../src/copy/handmade-archive.fixture.ts'

const signal = new AbortController().signal

/** Copies an archive out into an empty directory. */
async function copiedOut(archive: Buffer, maxBytes?: number) {
  const parent = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  const path = join(parent, 'work')
  mkdirSync(path)
  const copy = new DirectoryCopy({
    hostDirectory: new HostWorkDirectory({ path }),
    backend: backendWith(archive),
    path: '/workspace',
    owner: { uid: 1000, gid: 1000 },
    maxBytes,
  })
  const report: CopyReport | Error = await copy.copyOut({ signal }).catch((error: Error) => error)
  expect(readdirSync(parent)).toEqual(['work'])
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted()
  return { path, names, report }
}

test('a file of a hostile name gets nowhere, and the others are brought', ({ everyRow }) =>
  everyRow(
    [
      '../evil',
      '../../evil',
      'a/../../evil',
      '/evil',
      '//evil',
      './evil',
      'a//evil',
      'a/./evil',
      '..',
      `${'x'.repeat(300)}`,
      `${'deep/'.repeat(1_000)}evil`,
    ],
    async (name) => {
      const entries: HandmadeEntry[] = [
        ownEntry,
        { name: `workspace/${name}`, content: 'evil' },
        { name: 'workspace/good', content: 'good' },
      ]
      const { names, report } = await copiedOut(await archiveOf(entries))
      expect(names).toEqual(['good'])
      expect(report).toMatchObject({ skipped: [{ name }], skippedCount: 1, complete: true })
    },
  ))

test('a file and something below it: the first of them is there', async () => {
  const { path, names, report } = await copiedOut(
    await archiveOf([
      ownEntry,
      { name: 'workspace/a', content: 'file' },
      { name: 'workspace/a/b', content: 'below' },
    ]),
  )
  expect([names, readFileSync(join(path, 'a'), 'utf8')]).toEqual([['a'], 'file'])
  expect(report).toMatchObject({ skipped: [{ name: 'a/b' }] })
})

test('the same name twice: the last of them is there', async () => {
  const { path, names } = await copiedOut(
    await archiveOf([
      ownEntry,
      { name: 'workspace/a', content: 'first' },
      { name: 'workspace/a', type: 'directory' },
      { name: 'workspace/a/b', content: 'second' },
      { name: 'workspace/a', content: 'third' },
    ]),
  )
  expect([names, readFileSync(join(path, 'a'), 'utf8')]).toEqual([['a'], 'third'])
})

test('a file that is promised larger than it is comes not at all', async () => {
  const archive = await archiveOf([ownEntry, { name: 'workspace/a', content: 'x'.repeat(1_000) }])
  // The header of the second entry: the size is in octal digits at 124, the sum of all bytes at 148.
  const header = archive.subarray(512, 1024)
  header.write('7777777', 128, 'latin1')
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const { names, report } = await copiedOut(archive)
  expect(report).toBeInstanceOf(Error)
  expect(names).toEqual([])
})

test('an archive without the directory itself is none', async () => {
  const { report } = await copiedOut(await archiveOf([]))
  expect(report).toBeInstanceOf(Error)
})

test('special bits are not carried over', async () => {
  const { path } = await copiedOut(
    await archiveOf([ownEntry, { name: 'workspace/a', mode: 0o107777, content: 'x' }]),
  )
  expect(statSync(join(path, 'a')).mode & 0o7777).toBe(0o777 & ~process.umask())
})

test('a flood of empty files and directories comes to an end', async () => {
  const flood = Array.from(
    { length: 2_000 },
    (_, index): HandmadeEntry => ({
      name: `workspace/${index}`,
      type: index % 2 === 0 ? 'file' : 'directory',
    }),
  )
  const { names, report } = await copiedOut(await archiveOf([ownEntry, ...flood]), 1_000_000)
  expect(names).toHaveLength(Math.floor(1_000_000 / 4096))
  expect(report).toMatchObject({ skippedCount: 2_000 - names.length, complete: true })
  expect((report as CopyReport).skipped).toHaveLength(100)
})
