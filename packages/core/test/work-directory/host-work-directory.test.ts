import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { FileRefusedError } from '../../src/work-directory/work-directory.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

describe('a temporary one', () => {
  test('has a path of its own at once, and is made only when it is opened', async () => {
    const [one, other] = [new HostWorkDirectory(), new HostWorkDirectory()]
    expect(one.path).not.toBe(other.path)
    expect([one.hostPath, dirname(dirname(one.path)), existsSync(one.path)]).toEqual([
      one.path,
      tmpdir(),
      false,
    ])
    expect(await one.open()).toBe(true)
    expect(statSync(one.path).mode & 0o777).toBe(0o700)
    await one.close()
    expect(existsSync(one.path)).toBe(false)
  })

  test('is removed with all that programs left, however they left it', async () => {
    const directory = new HostWorkDirectory()
    await using outside = await temporaryDirectory()
    writeFileSync(join(outside.path, 'theirs'), '')
    await directory.open()
    await directory.write('a/b/c', '')
    symlinkSync(outside.path, join(directory.path, 'link'))
    mkdirSync(join(directory.path, 'closed'), { mode: 0o000 })
    await directory.close()
    expect([existsSync(directory.path), existsSync(join(outside.path, 'theirs'))]).toEqual([false, true])
  })

  test('can be closed before it was opened, twice, and opened again', async () => {
    const directory = new HostWorkDirectory()
    await directory.close()
    await directory.open()
    await directory.close()
    await directory.close()
    expect(await directory.open()).toBe(true)
    expect(existsSync(directory.path)).toBe(true)
    await directory.close()
  })

  test('that somebody else made first is not taken away from them', async () => {
    const directory = new HostWorkDirectory()
    mkdirSync(directory.path)
    await directory.close()
    expect(existsSync(directory.path)).toBe(true)
    rmSync(directory.path, { recursive: true })
  })
})

describe('one at a path', () => {
  test('is made with those above it, and stays', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: join(parent.path, 'a', 'b') })
    expect(await directory.open()).toBe(true)
    await directory.close()
    expect(existsSync(directory.path)).toBe(true)
  })

  test('is resolved when it is named, not later', () => {
    const relative = new HostWorkDirectory({ path: 'some/where' })
    expect(relative.path).toBe(join(process.cwd(), 'some', 'where'))
  })

  test('may be a link: it is the caller’s choice', async () => {
    await using parent = await temporaryDirectory()
    mkdirSync(join(parent.path, 'real'))
    symlinkSync('real', join(parent.path, 'link'))
    const directory = new HostWorkDirectory({ path: join(parent.path, 'link') })
    await directory.open()
    expect(await directory.write('sub/a', 'content')).toBe(join(parent.path, 'link', 'sub', 'a'))
    expect(readFileSync(join(parent.path, 'real', 'sub', 'a'), 'utf8')).toBe('content')
    expect([...((await directory.list())?.keys() ?? [])]).toEqual(['sub/a'])
  })

  test.each<[what: string, plant: (path: string) => void]>([
    ['a file', (path) => writeFileSync(path, '')],
    ['a link that leads nowhere', (path) => symlinkSync('nowhere', path)],
  ])('that is %s cannot be used, and says so', async (_, plant) => {
    await using parent = await temporaryDirectory()
    const path = join(parent.path, 'a')
    plant(path)
    await expect(new HostWorkDirectory({ path }).open()).rejects.toMatchObject({
      code: 'WORK_DIR_UNUSABLE',
      data: { path },
    })
  })
})

describe('one that the code sees somewhere else', () => {
  test('tells the paths of there, and writes here', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: parent.path, mountedAt: '/workspace' })
    expect([directory.path, directory.hostPath]).toEqual(['/workspace', parent.path])
    expect(await directory.write('sub/a', 'content')).toBe('/workspace/sub/a')
    expect(readFileSync(join(parent.path, 'sub', 'a'), 'utf8')).toBe('content')
    await directory.remove('sub/a')
    expect(existsSync(join(parent.path, 'sub', 'a'))).toBe(false)
  })

  test('complains of what is here', async () => {
    await using parent = await temporaryDirectory()
    writeFileSync(join(parent.path, 'file'), '')
    const path = join(parent.path, 'file')
    const directory = new HostWorkDirectory({ path, mountedAt: '/workspace' })
    await expect(directory.open()).rejects.toMatchObject({ code: 'WORK_DIR_UNUSABLE', data: { path } })
  })
})

describe('when it was removed', () => {
  test.each(['temporary', 'at a path'])(
    'open makes it again and says that it was gone (%s)',
    async (kind) => {
      await using parent = await temporaryDirectory()
      const directory = new HostWorkDirectory(kind === 'temporary' ? {} : { path: join(parent.path, 'a') })
      await directory.open()
      await directory.write('kept', '')
      expect(await directory.open()).toBe(true)
      rmSync(directory.path, { recursive: true })
      expect(await directory.open()).toBe(false)
      expect(await directory.open()).toBe(true)
      expect((await directory.list())?.size).toBe(0)
      await directory.close()
    },
  )

  test('closing it does nothing', async () => {
    const directory = new HostWorkDirectory()
    await directory.open()
    rmSync(directory.path, { recursive: true })
    await directory.close()
  })
})

describe('a file', () => {
  test('is written below it and its path is told', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: parent.path })
    const path = await directory.write('sub dir/a.py', 'print()\n')
    expect([path, readFileSync(path, 'utf8')]).toEqual([join(parent.path, 'sub dir', 'a.py'), 'print()\n'])
  })

  test('is refused under a name that leads elsewhere, whatever is to be done with it', ({ everyRow }) =>
    everyRow(['..', '../a', 'a/../../b', '/a', 'a//b', 'a/', '', '.', 'a\0b'], async (name) => {
      await using parent = await temporaryDirectory()
      const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
      await directory.open()
      writeFileSync(join(parent.path, 'a'), '')
      for (const act of ['makeDirectory', 'remove', 'removeEmptyDirectory', 'openFile'] as const) {
        await expect(directory[act](name)).rejects.toThrow(FileRefusedError)
      }
      await expect(directory.write(name, '')).rejects.toThrow(FileRefusedError)
      expect(readdirSync(parent.path).toSorted()).toEqual(['a', 'work'])
    }))

  test('can be bytes, a stream of them, and executable', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: parent.path })
    await directory.write('bytes', Uint8Array.of(0, 255))
    await directory.write('stream', new Blob(['content']).stream(), { executable: true })
    expect(readFileSync(join(parent.path, 'bytes'))).toEqual(Buffer.of(0, 255))
    expect(directory.entry('stream')).toMatchObject({
      kind: 'file',
      sizeBytes: 7,
      mode: 0o777 & ~process.umask(),
    })
    expect(directory.entry('bytes')).toMatchObject({ kind: 'file', mode: 0o666 & ~process.umask() })
    expect(directory.entry('missing')).toBeUndefined()
  })

  test('whose content fails ends with what the content ended with', async () => {
    await using parent = await temporaryDirectory()
    const end = new Error('cut')
    const content = (async function* () {
      yield Buffer.from('half')
      throw end
    })()
    await expect(new HostWorkDirectory({ path: parent.path }).write('a', content)).rejects.toBe(end)
    expect(readdirSync(parent.path)).toEqual([])
  })

  test('is refused behind a link', async () => {
    await using parent = await temporaryDirectory()
    symlinkSync('/', join(parent.path, 'rootlink'))
    await expect(
      new HostWorkDirectory({ path: parent.path }).write('rootlink/tmp/x/evil.py', ''),
    ).rejects.toThrow(FileRefusedError)
  })

  test.each<[what: string, plant: (path: string) => void]>([
    ['as it was written', (path) => writeFileSync(path, '')],
    ['when it is gone already', () => {}],
    ['when a program made it a link, and only the link', (path) => symlinkSync('../theirs', path)],
    [
      'when a program put a file in place of the whole directory',
      (path) => {
        rmSync(dirname(path), { recursive: true })
        writeFileSync(dirname(path), '')
      },
    ],
  ])('is removed %s', async (_, plant) => {
    await using parent = await temporaryDirectory()
    writeFileSync(join(parent.path, 'theirs'), '')
    const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
    await directory.open()
    plant(join(directory.path, 'a'))
    await directory.remove('a')
    expect(existsSync(join(directory.path, 'a'))).toBe(false)
    expect(existsSync(join(parent.path, 'theirs'))).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')(
  'a link that a program put in the place of the directory',
  () => {
    test('leads to nothing: what is behind it is not listed, not written to, and not removed', async () => {
      await using parent = await temporaryDirectory()
      const theirs = join(parent.path, 'theirs')
      mkdirSync(theirs)
      writeFileSync(join(theirs, 'a'), '')
      const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
      await directory.open()
      rmSync(directory.path, { recursive: true })
      symlinkSync('theirs', directory.path)
      expect(await directory.list()).toEqual(new Map())
      await expect(directory.write('b', 'content')).rejects.toMatchObject({ code: 'WORK_DIR_UNUSABLE' })
      await directory.remove('a')
      await directory.close()
      expect(readdirSync(theirs)).toEqual(['a'])
    })
  },
)

describe.skipIf(process.platform !== 'linux')('a file that gives away the rights of its owner', () => {
  test('is listed as one, and loses them, but no other and not through a link', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
    await directory.open()
    for (const path of [join(directory.path, 'shell'), join(parent.path, 'theirs')]) {
      writeFileSync(path, '')
      chmodSync(path, 0o6755)
    }
    symlinkSync('../theirs', join(directory.path, 'link'))
    expect((await directory.list())?.get('shell')?.setsId).toBe(true)
    for (const name of ['shell', 'link', 'missing']) directory.clearSetId(name)
    expect((await directory.list())?.get('shell')?.setsId).toBeUndefined()
    expect(statSync(join(directory.path, 'shell')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(parent.path, 'theirs')).mode & 0o7777).toBe(0o6755)
  })
})

describe('a directory in it', () => {
  test('is made with those above it, and left as it is when it is there', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: parent.path })
    await directory.makeDirectory('a/b')
    await directory.write('a/b/c', 'content')
    await directory.makeDirectory('a/b')
    expect(readFileSync(join(parent.path, 'a', 'b', 'c'), 'utf8')).toBe('content')
  })

  test.each(['link', 'link/sub', 'file', 'file/sub'])(
    'is refused in place of something else: %s',
    async (name) => {
      await using parent = await temporaryDirectory()
      const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
      await directory.open()
      mkdirSync(join(parent.path, 'outside'))
      symlinkSync('../outside', join(directory.path, 'link'))
      await directory.write('file', '')
      await expect(directory.makeDirectory(name)).rejects.toThrow(FileRefusedError)
      expect(readdirSync(join(parent.path, 'outside'))).toEqual([])
    },
  )
})

test('holds a file that has exactly this content, and nothing through a link', async () => {
  await using parent = await temporaryDirectory()
  const directory = new HostWorkDirectory({ path: join(parent.path, 'work') })
  await directory.open()
  await directory.write('folder/program.sh', 'echo 1\n')
  symlinkSync('folder', join(directory.path, 'link'))
  symlinkSync('program.sh', join(directory.path, 'folder/link.sh'))
  expect(await directory.holds('folder/program.sh', 'echo 1\n')).toBe(true)
  expect(await directory.holds('folder/program.sh', 'echo 2\n')).toBe(false)
  for (const name of ['folder/link.sh', 'link/program.sh', 'folder', 'missing', 'missing/program.sh']) {
    expect(await directory.holds(name, 'echo 1\n'), name).toBe(false)
  }
})
