import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeConfined, removeEmptyDirectoryConfined } from '../../src/work-directory/confined-files.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

async function insideAndOutside() {
  const directory = await temporaryDirectory()
  const [inside, outside] = [join(directory.path, 'inside'), join(directory.path, 'outside')]
  for (const path of [inside, outside]) {
    mkdirSync(join(path, 'empty'), { recursive: true })
    writeFileSync(join(path, 'file'), '')
  }
  symlinkSync(outside, join(inside, 'link'))
  return { inside, outside, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

test('a file is removed, and not through a link', async () => {
  await using place = await insideAndOutside()
  for (const name of ['file', 'file', 'link/file', 'missing/file', 'file/file']) {
    removeConfined(place.inside, name.split('/'))
  }
  expect(existsSync(join(place.inside, 'file'))).toBe(false)
  expect(existsSync(join(place.outside, 'file'))).toBe(true)
})

test('of a link only itself is removed', async () => {
  await using place = await insideAndOutside()
  removeConfined(place.inside, ['link'])
  expect(existsSync(join(place.inside, 'link'))).toBe(false)
  expect(existsSync(join(place.outside, 'file'))).toBe(true)
})

test('a directory is removed if it is one and empty', async () => {
  await using place = await insideAndOutside()
  mkdirSync(join(place.inside, 'full'))
  writeFileSync(join(place.inside, 'full', 'a'), '')
  for (const name of ['empty', 'empty', 'full', 'file', 'link', 'link/empty', 'missing/a']) {
    removeEmptyDirectoryConfined(place.inside, name.split('/'))
  }
  expect(existsSync(join(place.inside, 'empty'))).toBe(false)
  for (const name of ['full', 'file', 'link']) expect(existsSync(join(place.inside, name))).toBe(true)
  expect(existsSync(join(place.outside, 'empty'))).toBe(true)
})
