import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const unusable = { code: 'WORK_DIR_UNUSABLE' }

/** `top/work`, and a directory `theirs` that looks the same. */
async function twoDirectories() {
  const folder = await temporaryDirectory()
  const [top, work, theirs] = ['top', 'top/work', 'theirs'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(work, { recursive: true })
  mkdirSync(join(theirs, 'work'), { recursive: true })
  for (const path of [theirs, join(theirs, 'work')]) writeFileSync(join(path, 'a'), 'years of work')
  const linkTo = { [work]: theirs, [top]: theirs }
  return {
    ...{ folder: folder.path, top, work, theirs },
    /** Puts a link in the place of a directory. */
    replace(path: string) {
      renameSync(path, `${path}-before`)
      symlinkSync(linkTo[path] ?? '', path)
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

describe.skipIf(process.platform === 'win32').each(['work', 'top'] as const)(
  'a link in the place of a working directory, or of the one above it (%s),',
  (which) => {
    test.each([
      ['opened', (directory: HostWorkDirectory) => directory.open()],
      ['used without being opened', (directory: HostWorkDirectory) => directory.list()],
    ])('leads nowhere, where it was %s before', async (_, use) => {
      await using place = await twoDirectories()
      const directory = new HostWorkDirectory({ path: place.work })
      await use(directory)
      place.replace(place[which])
      expect(await directory.list()).toEqual(new Map())
      expect(await directory.openFile('a')).toBeUndefined()
      await expect(directory.write('a', 'content')).rejects.toMatchObject(unusable)
      await expect(directory.removeAll('a')).rejects.toMatchObject(unusable)
      expect(() => directory.entry('a')).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
      expect(readFileSync(join(place.theirs, 'work/a'), 'utf8')).toBe('years of work')
      expect(readFileSync(join(place.theirs, 'a'), 'utf8')).toBe('years of work')
    })

    test('is refused from the beginning below a directory that is named', async () => {
      await using place = await twoDirectories()
      place.replace(place[which])
      const directory = new HostWorkDirectory({ path: place.work, within: place.folder })
      await expect(directory.open()).rejects.toMatchObject({
        ...unusable,
        data: { path: place.work },
        cause: expect.objectContaining({
          name: 'FileRefusedError',
          data: { path: which === 'top' ? 'top' : 'top/work' },
        }),
      })
      expect(await directory.list()).toEqual(new Map())
      await expect(directory.write('b', '')).rejects.toMatchObject(unusable)
      expect([readdirSync(place.theirs), readdirSync(join(place.theirs, 'work'))]).toEqual([
        ['a', 'work'],
        ['a'],
      ])
    })
  },
)

describe.skipIf(process.platform === 'win32')('a working directory', () => {
  test('is not made again behind a link', async () => {
    await using place = await twoDirectories()
    const directory = new HostWorkDirectory({ path: place.work })
    await directory.open()
    rmSync(join(place.theirs, 'work'), { recursive: true })
    place.replace(place.top)
    await expect(directory.open()).rejects.toMatchObject({
      ...unusable,
      data: { path: place.work, systemCode: 'ENOTDIR' },
    })
  })

  test('is used again where a program made it again in its place', async () => {
    await using place = await twoDirectories()
    const directory = new HostWorkDirectory({ path: place.work })
    await directory.open()
    rmSync(place.top, { recursive: true })
    mkdirSync(place.work, { recursive: true })
    await directory.write('a', 'content')
    expect([...((await directory.list())?.keys() ?? [])]).toEqual(['a'])
  })

  test('below a directory that is named is made there, and nowhere else', async () => {
    await using place = await twoDirectories()
    const directory = new HostWorkDirectory({ path: join(place.top, 'x/y'), within: place.folder })
    expect(await directory.open()).toBe(true)
    await directory.write('a', 'content')
    expect(readFileSync(join(place.top, 'x/y/a'), 'utf8')).toBe('content')
    const outside = new HostWorkDirectory({ path: join(place.folder, 'x'), within: place.top })
    await expect(outside.open()).rejects.toMatchObject(unusable)
    expect(existsSync(join(place.folder, 'x'))).toBe(false)
  })
})
