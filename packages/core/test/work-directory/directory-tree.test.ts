// @module-tag all

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, readTree } from '../../src/work-directory/list-files.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

test('holds files and directories with their modes and times, and nothing else', async () => {
  await using directory = await temporaryDirectory()
  const at = (name: string) => join(directory.path, name)
  mkdirSync(at('sub/empty'), { recursive: true })
  writeFileSync(at('sub/a'), 'four')
  chmodSync(at('sub/a'), 0o750)
  utimesSync(at('sub/a'), 1_000, 1_000)
  symlinkSync('/', at('link'))
  symlinkSync('sub', at('another'))
  execFileSync('mkfifo', [at('pipe')])
  const tree = await readTree(directory.path, new Set())
  expect([...tree.keys()].toSorted()).toEqual(['sub', 'sub/a', 'sub/empty'])
  expect([...tree.others.keys()].toSorted()).toEqual(['another', 'link', 'pipe'])
  expect(tree.get('sub/empty')).toMatchObject({ kind: 'directory' })
  expect(tree.get('sub/a')).toMatchObject({ kind: 'file', mode: 0o750, modifiedMs: 1_000_000, sizeBytes: 4 })
})

test('has a directory before what is in it', async () => {
  await using directory = await temporaryDirectory()
  for (const name of ['b/c/d', 'a/x/y', 'a/b', 'z'])
    mkdirSync(join(directory.path, name), { recursive: true })
  const names = [...(await readTree(directory.path, new Set())).keys()]
  const parentComesLater = names.filter((name, index) => {
    const parent = name.slice(0, Math.max(name.lastIndexOf('/'), 0))
    return parent !== '' && names.indexOf(parent) > index
  })
  expect([names.length, parentComesLater]).toEqual([8, []])
})

test('leaves out directories of some names, but no file of such a name', async () => {
  await using directory = await temporaryDirectory()
  for (const name of ['out', 'sub/out']) mkdirSync(join(directory.path, name, 'x'), { recursive: true })
  mkdirSync(join(directory.path, 'other'))
  writeFileSync(join(directory.path, 'other', 'out'), '')
  expect([...(await readTree(directory.path, new Set(['out']))).keys()].toSorted()).toEqual([
    'other',
    'other/out',
    'sub',
  ])
})

test('has more files than the list gives, and the same versions', async () => {
  await using directory = await temporaryDirectory()
  for (let count = 0; count < 10; count++) writeFileSync(join(directory.path, `${count}`), '')
  const versions = [...(await readTree(directory.path, new Set()))].map(([name, entry]) => [
    name,
    entry.kind === 'file' ? entry.version : '',
  ])
  const listed = [...((await listFiles(directory.path)) ?? [])].map(([name, { version }]) => [name, version])
  expect(versions).toEqual(listed)
  for (let count = 0; count < 10_001; count++) writeFileSync(join(directory.path, `${count}`), '')
  expect((await readTree(directory.path, new Set())).size).toBe(10_001)
})
