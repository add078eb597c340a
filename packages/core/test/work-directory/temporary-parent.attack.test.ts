import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { TemporaryDirectory } from '../../src/work-directory/temporary-directories.ts'
import { usableTemporaryPath } from '../../src/work-directory/temporary-parent.ts'
import { declareWritable } from '../../src/work-directory/writable-directories.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const userId = process.getuid?.() ?? 0
const usualName = `fenced-${userId}`

afterEach(() => vi.unstubAllEnvs())

async function asTmpdir() {
  const folder = await temporaryDirectory()
  vi.stubEnv('TMPDIR', folder.path)
  return folder
}

/** Whether only this user can enter it. */
function isPrivate(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return uid === userId && (mode & 0o777) === 0o700
}

describe.skipIf(process.platform === 'win32')('a temporary directory', () => {
  test('is an error of the working directory where TMPDIR names a file', async () => {
    await using folder = await asTmpdir()
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    vi.stubEnv('TMPDIR', file)
    await expect(new HostWorkDirectory().open()).rejects.toMatchObject({ code: 'WORK_DIR_UNUSABLE' })
    expect(() => usableTemporaryPath('any')).toThrow('ENOTDIR')
  })

  test('has an absolute path where TMPDIR is relative', async () => {
    await using folder = await asTmpdir()
    vi.stubEnv('TMPDIR', relative(process.cwd(), folder.path))
    expect(dirname(usableTemporaryPath('any'))).toBe(join(folder.path, usualName))
  })

  test('that a program opens to everyone stays out of reach for other users', async () => {
    await using folder = await asTmpdir()
    const directory = new HostWorkDirectory()
    await directory.open()
    chmodSync(directory.path, 0o777)
    expect(dirname(directory.path)).toBe(join(folder.path, usualName))
    expect(isPrivate(dirname(directory.path))).toBe(true)
    await directory.close()
    expect(readdirSync(dirname(directory.path))).toEqual([])
  })

  test('closes a directory above it that others can enter', async () => {
    await using folder = await asTmpdir()
    mkdirSync(join(folder.path, usualName))
    chmodSync(join(folder.path, usualName), 0o777)
    await using directory = TemporaryDirectory.make()
    expect(isPrivate(dirname(directory.path))).toBe(true)
  })

  test.skipIf(userId !== 0)('is elsewhere where another user has taken the name above it', async () => {
    await using folder = await asTmpdir()
    mkdirSync(join(folder.path, usualName))
    chownSync(join(folder.path, usualName), 65_534, 65_534)
    await using directory = TemporaryDirectory.make()
    const parent = dirname(directory.path)
    expect([dirname(parent), basename(parent)]).toEqual([
      folder.path,
      expect.not.stringMatching(`^${usualName}$`),
    ])
    expect(isPrivate(parent)).toBe(true)
    expect(statSync(join(folder.path, usualName)).uid).toBe(65_534)
  })

  test.skipIf(userId !== 0)('is refused where another user takes that name before it is made', async () => {
    await using folder = await asTmpdir()
    const directory = TemporaryDirectory.named()
    mkdirSync(join(folder.path, usualName))
    chownSync(join(folder.path, usualName), 65_534, 65_534)
    expect(() => directory.open()).toThrow('belongs to another user')
    expect(readdirSync(join(folder.path, usualName))).toEqual([])
  })

  test('is made elsewhere than in a directory that sandboxed programs can write', async () => {
    await using folder = await asTmpdir()
    const known = TemporaryDirectory.named()
    declareWritable(folder.path)
    expect(usableTemporaryPath('any').startsWith(folder.path)).toBe(false)
    expect(() => known.open()).toThrow('sandboxed programs can write')
  })
})
