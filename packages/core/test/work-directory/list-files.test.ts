import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { listFiles, listFirstFiles } from '../../src/work-directory/list-files.ts'
import { openPaths, temporaryDirectory } from './temporary-directory.fixture.ts'

async function listedNames(root: string): Promise<string[] | undefined> {
  const listing = await listFiles(root)
  return listing === undefined ? undefined : [...listing.keys()].sort()
}

/** The file system's clock ticks in a few milliseconds; a program's start takes longer than that. */
const nextTickOfTheFileSystem = () => sleep(20)

describe('the list', () => {
  test('holds the regular files, with their sizes and "/" between the parts', async () => {
    await using directory = await temporaryDirectory()
    mkdirSync(join(directory.path, 'a', 'b'), { recursive: true })
    for (const name of ['top', 'a/middle', 'a/b/deep', 'a/with space', 'a/日本', '.hidden', 'line\nbreak']) {
      writeFileSync(join(directory.path, name), name)
    }
    const listing = await listFiles(directory.path)
    expect(await listedNames(directory.path)).toEqual([
      '.hidden',
      'a/b/deep',
      'a/middle',
      'a/with space',
      'a/日本',
      'line\nbreak',
      'top',
    ])
    expect(listing?.get('a/日本')?.sizeBytes).toBe(8)
  })

  test('follows no links and shows nothing that is no file, which it tells', async () => {
    await using directory = await temporaryDirectory()
    symlinkSync('/etc', join(directory.path, 'directory'))
    symlinkSync('/etc/passwd', join(directory.path, 'file'))
    symlinkSync('..', join(directory.path, 'up'))
    symlinkSync('nowhere', join(directory.path, 'dangling'))
    execFileSync('mkfifo', [join(directory.path, 'pipe')])
    mkdirSync(join(directory.path, 'empty'))
    const listing = await listFiles(directory.path)
    expect([...(listing?.keys() ?? [])]).toEqual([])
    const unlisted = [...(listing?.unlisted?.keys() ?? [])].sort()
    expect(unlisted).toEqual(['dangling', 'directory', 'file', 'pipe', 'up'])
  })

  test.each(['__pycache__', '.git', 'node_modules', '.venv', '.ipynb_checkpoints'])(
    'leaves out what is in %s, at any depth',
    async (name) => {
      await using directory = await temporaryDirectory()
      for (const parent of ['', 'sub']) {
        mkdirSync(join(directory.path, parent, name), { recursive: true })
        writeFileSync(join(directory.path, parent, name, 'x'), '')
      }
      writeFileSync(join(directory.path, 'sub', 'x'), '')
      expect(await listedNames(directory.path)).toEqual(['sub/x'])
    },
  )

  test('of a directory that is gone is empty', async () => {
    expect(await listedNames('/nowhere/at/all')).toEqual([])
  })

  test('is given up when there are too many entries', { tags: 'all' }, async () => {
    await using directory = await temporaryDirectory()
    for (let count = 0; count < 10_000; count++) writeFileSync(join(directory.path, `${count}`), '')
    expect(await listedNames(directory.path)).toHaveLength(10_000)
    writeFileSync(join(directory.path, 'one more'), '')
    expect(await listedNames(directory.path)).toBeUndefined()
    const { size, isCut } = await listFirstFiles(directory.path)
    expect([size, isCut]).toEqual([10_000, true])
  })

  test('is given up when there are too many entries in many directories', { tags: 'nightly' }, async () => {
    await using directory = await temporaryDirectory()
    for (let count = 0; count < 101; count++) {
      mkdirSync(join(directory.path, `${count}`))
      for (let file = 0; file < 100; file++) writeFileSync(join(directory.path, `${count}`, `${file}`), '')
    }
    expect(await listedNames(directory.path)).toBeUndefined()
  })

  test('lets others go on while it is made of thousands of files', { tags: 'nightly' }, async () => {
    await using directory = await temporaryDirectory()
    for (let count = 0; count < 9_000; count++) {
      const parent = join(directory.path, `${count % 90}`)
      mkdirSync(parent, { recursive: true })
      writeFileSync(join(parent, `${count}`), '')
    }
    let turns = 0
    let listing = true
    const takeTurn = () => {
      turns++
      if (listing) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    expect((await listFiles(directory.path))?.size).toBe(9_000)
    listing = false
    expect(turns).toBeGreaterThan(1)
  })

  test('goes on past paths that are longer than the system can open', async () => {
    await using directory = await temporaryDirectory()
    const deep = 'd'.repeat(200)
    // A shell that goes down step by step never has to name the whole path.
    const make = `i=0; while [ $i -lt 30 ]; do mkdir ${deep} && cd -P ${deep} && : > ${'f'.repeat(250)}; i=$((i + 1)); done`
    execFileSync('sh', ['-c', make], { cwd: directory.path, stdio: 'ignore' })
    writeFileSync(join(directory.path, 'top'), '')
    const names = await listedNames(directory.path)
    // Node cannot remove such paths either.
    execFileSync('rm', ['-rf', join(directory.path, deep)])
    expect(names).toContain('top')
  })

  test('goes on past names that are not UTF-8, and tells of them and of their changes', async () => {
    await using directory = await temporaryDirectory()
    const bad = Buffer.concat([Buffer.from(`${directory.path}/bad`), Buffer.from([0xff])])
    writeFileSync(bad, '')
    writeFileSync(join(directory.path, 'good'), '')
    writeFileSync(join(directory.path, 'really \uFFFD'), '')
    const unlisted = async () => Object.fromEntries((await listFiles(directory.path))?.unlisted ?? [])
    expect(await listedNames(directory.path)).toEqual(['good', 'really \uFFFD'])
    const before = await unlisted()
    expect(Object.keys(before)).toEqual(['bad\uFFFD'])
    expect(await unlisted()).toEqual(before)
    writeFileSync(bad, 'longer')
    expect(await unlisted()).not.toEqual(before)
  })

  test('tells which directories it does not look into because they are too deep', async () => {
    await using directory = await temporaryDirectory()
    const deepest = Array.from({ length: 100 }, () => 'd').join('/')
    mkdirSync(join(directory.path, deepest), { recursive: true })
    expect([...((await listFiles(directory.path))?.unlisted ?? [])]).toEqual([])
    mkdirSync(join(directory.path, deepest, 'e'))
    expect((await listFiles(directory.path))?.unlisted?.has(`${deepest}/e`)).toBe(true)
  })
})

describe('the version of a file', () => {
  async function versionChanges(change: (file: string) => void): Promise<boolean> {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, 'a')
    writeFileSync(file, 'before')
    utimesSync(file, 1, 1)
    const version = async () => (await listFiles(directory.path))?.get('a')?.version
    const before = await version()
    await nextTickOfTheFileSystem()
    change(file)
    return (await version()) !== before
  }

  test.each<[what: string, change: (file: string) => void, changes: boolean]>([
    ['of one that is read', (file) => void statSync(file), false],
    ['of one that is written again with as many bytes', (file) => writeFileSync(file, 'after!'), true],
    ['of one that grows', (file) => writeFileSync(file, '+', { flag: 'a' }), true],
    [
      'of one whose time was set back',
      (file) => {
        writeFileSync(file, 'after!')
        utimesSync(file, 1, 1)
      },
      true,
    ],
    [
      'of one that was replaced by another',
      (file) => {
        writeFileSync(`${file}.new`, 'before')
        execFileSync('mv', [`${file}.new`, file])
      },
      true,
    ],
  ])('%s', async (_, change, changes) => {
    expect(await versionChanges(change)).toBe(changes)
  })
})

test('no file descriptor stays open', async () => {
  await using directory = await temporaryDirectory()
  mkdirSync(join(directory.path, 'a', 'b'), { recursive: true })
  for (let round = 0; round < 100; round++) await listFiles(directory.path)
  expect(openPaths(directory.path)).toEqual([])
})
