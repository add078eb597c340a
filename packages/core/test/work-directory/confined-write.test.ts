import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ContentError, writeConfined } from '../../src/work-directory/confined-writes.ts'
import { FileRefusedError } from '../../src/work-directory/work-directory.ts'
import { openPaths, temporaryDirectory } from './temporary-directory.fixture.ts'

/** A work directory and one beside it, in which nothing may appear. */
async function insideAndOutside() {
  const directory = await temporaryDirectory()
  const [inside, outside] = [join(directory.path, 'inside'), join(directory.path, 'outside')]
  mkdirSync(inside)
  mkdirSync(outside)
  writeFileSync(join(outside, 'theirs'), 'theirs')
  return {
    inside,
    outside,
    write: (name: string, content = 'ours') => writeConfined(inside, name.split('/'), { content }),
    outsideIsUntouched() {
      expect(readdirSync(outside)).toEqual(['theirs'])
      expect(readFileSync(join(outside, 'theirs'), 'utf8')).toBe('theirs')
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

describe('a file', () => {
  test('of any name is written with the directories above it', ({ everyRow }) =>
    everyRow(
      [
        'a.py',
        'deep/er/and/deeper/a.py',
        'with space.txt',
        `it's "quoted" $HOME \`x\`.txt`,
        'данные/データ.py',
        '-rf',
        '%s\u202E.txt',
        'x'.repeat(255),
        `${'d'.repeat(255)}/${'é'.repeat(127)}`,
      ],
      async (name) => {
        await using place = await insideAndOutside()
        await place.write(name, 'content\n')
        expect(readFileSync(join(place.inside, name), 'utf8')).toBe('content\n')
      },
    ))

  test('is replaced as a whole', async () => {
    await using place = await insideAndOutside()
    await place.write('a', 'long content')
    await place.write('a', 'x')
    expect(readFileSync(join(place.inside, 'a'), 'utf8')).toBe('x')
    expect(readdirSync(place.inside)).toEqual(['a'])
  })

  test('has five megabytes, and lets others go on while it is written', async () => {
    await using place = await insideAndOutside()
    let hadTheirTurn = false
    setImmediate(() => {
      hadTheirTurn = true
    })
    await place.write('a', 'x'.repeat(5_000_000))
    expect(lstatSync(join(place.inside, 'a')).size).toBe(5_000_000)
    expect(hadTheirTurn).toBe(true)
  })

  test.each([65_535, 65_536, 65_537])('has %i characters, or bytes', async (length) => {
    await using place = await insideAndOutside()
    await place.write('text', 'é'.repeat(length))
    await writeConfined(place.inside, ['bytes'], { content: Buffer.alloc(length, 'é') })
    expect(readFileSync(join(place.inside, 'text'), 'utf8') === 'é'.repeat(length)).toBe(true)
    expect(readFileSync(join(place.inside, 'bytes')).equals(Buffer.alloc(length, 'é'))).toBe(true)
  })

  test('is executable for whoever may read it, where that is wanted', async () => {
    await using place = await insideAndOutside()
    const modeOf = (name: string) => lstatSync(join(place.inside, name)).mode & 0o777
    await writeConfined(place.inside, ['a'], { content: '', mode: 0o777 })
    writeFileSync(join(place.inside, 'usual'), '', { mode: 0o777 })
    expect(modeOf('a')).toBe(modeOf('usual'))
    await writeConfined(place.inside, ['b'], { content: '' })
    expect(modeOf('b')).toBe(modeOf('usual') & 0o666)
  })

  test('can be read by others as any file of this user can', async () => {
    await using place = await insideAndOutside()
    await place.write('a')
    writeFileSync(join(place.inside, 'usual'), '')
    expect(lstatSync(join(place.inside, 'a')).mode).toBe(lstatSync(join(place.inside, 'usual')).mode)
  })
})

describe('content that comes piece by piece', () => {
  const pieces = async function* (count: number, end?: Error) {
    for (let piece = 0; piece < count; piece++) yield Buffer.alloc(100_000, `${piece % 10}`)
    if (end !== undefined) throw end
  }

  test.each(['a', 'deep/er/a'])('is put together in %s', async (name) => {
    await using place = await insideAndOutside()
    for (const count of [30, 0, 1]) {
      await writeConfined(place.inside, name.split('/'), { content: pieces(count) })
      const expected = Array.from({ length: count }, (_, piece) => `${piece % 10}`.repeat(100_000)).join('')
      expect(readFileSync(join(place.inside, name), 'utf8') === expected).toBe(true)
    }
  })

  test('is not there before all of it is', async () => {
    await using place = await insideAndOutside()
    await place.write('a', 'before')
    const seen: string[] = []
    const content = (async function* () {
      for (const piece of ['af', 'ter']) {
        seen.push(readFileSync(join(place.inside, 'a'), 'utf8'))
        yield Buffer.from(piece)
      }
    })()
    await writeConfined(place.inside, ['a'], { content })
    expect([...seen, readFileSync(join(place.inside, 'a'), 'utf8')]).toEqual(['before', 'before', 'after'])
  })

  test.each(['before', undefined])(
    'leaves everything as it was when it fails, and the disk is not to blame',
    async (before) => {
      await using place = await insideAndOutside()
      if (before !== undefined) await place.write('a', before)
      const cause = Object.assign(new Error('cut'), { code: 'ENOENT' })
      const error = await writeConfined(place.inside, ['a'], { content: pieces(3, cause) }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(ContentError)
      expect(error).toMatchObject({ cause })
      expect(readdirSync(place.inside)).toEqual(before === undefined ? [] : ['a'])
    },
  )

  test.each<[what: string, plant: (place: Place) => void, name: string]>([
    [
      'in place of a directory',
      ({ inside, outside }) => symlinkSync(outside, join(inside, 'link')),
      'link/a',
    ],
    [
      'in place of the file',
      ({ inside, outside }) => symlinkSync(join(outside, 'theirs'), join(inside, 'a')),
      'a',
    ],
  ])('is not asked for when there is a link %s', async (_, plant, name) => {
    await using place = await insideAndOutside()
    plant(place)
    let asked = false
    const content = (async function* () {
      asked = true
      yield Buffer.from('ours')
    })()
    await expect(writeConfined(place.inside, name.split('/'), { content })).rejects.toThrow(FileRefusedError)
    expect(asked).toBe(false)
    place.outsideIsUntouched()
  })
})

test.each([`${'x'.repeat(256)}`, `sub/${'é'.repeat(128)}`])(
  'a name that the disk does not take is refused: %s',
  async (name) => {
    await using place = await insideAndOutside()
    await expect(place.write(name)).rejects.toMatchObject({
      name: 'FileRefusedError',
      data: { path: name, systemCode: 'ENAMETOOLONG' },
    })
  },
)

describe('a file for which there is no room', () => {
  const module = new URL('../../src/work-directory/confined-writes.ts', import.meta.url)
  const writing = `
    import { writeConfined } from '${module}'
    const [root, name, size] = process.argv.slice(1)
    await writeConfined(root, [name], { content: 'x'.repeat(Number(size)) }).catch(({ code }) => console.log(code))
  `

  /** In a process whose files must not grow beyond a few kilobytes. */
  function writeWithLittleRoom(root: string, name: string, size: number): string {
    const command = 'ulimit -f 8 && exec "$@"'
    const node = [process.execPath, '--input-type=module', '--eval', writing, root, name, `${size}`]
    const { stdout, stderr } = spawnSync('sh', ['-c', command, 'sh', ...node], { encoding: 'utf8' })
    return stdout + stderr
  }

  test.each([20_000, 200_000])('leaves everything as it was (%i bytes)', async (size) => {
    await using place = await insideAndOutside()
    await place.write('old', 'before')
    for (const name of ['new', 'old']) {
      expect(writeWithLittleRoom(place.inside, name, size)).toBe('EFBIG\n')
      expect(readdirSync(place.inside)).toEqual(['old'])
      expect(readFileSync(join(place.inside, 'old'), 'utf8')).toBe('before')
    }
  })
})

type Place = Awaited<ReturnType<typeof insideAndOutside>>

describe('what an earlier program left in the way', () => {
  test('refuses a file behind a link, a pipe or another file', ({ everyRow }) =>
    everyRow<[what: string, plant: (place: Place) => void, name: string, path: string]>(
      [
        [
          'a link to a directory',
          ({ inside, outside }) => symlinkSync(outside, join(inside, 'link')),
          'link/evil',
          'link',
        ],
        [
          'a link to the root',
          ({ inside }) => symlinkSync('/', join(inside, 'root')),
          'root/tmp/x/evil',
          'root',
        ],
        ['a link up', ({ inside }) => symlinkSync('..', join(inside, 'up')), 'up/outside/evil', 'up'],
        ['a link to itself', ({ inside }) => symlinkSync('loop', join(inside, 'loop')), 'loop/evil', 'loop'],
        [
          'a link that leads nowhere',
          ({ inside, outside }) => symlinkSync(join(outside, 'new'), join(inside, 'link')),
          'link/evil',
          'link',
        ],
        [
          'a link further down',
          ({ inside, outside }) => {
            mkdirSync(join(inside, 'sub'))
            symlinkSync(outside, join(inside, 'sub', 'link'))
          },
          'sub/link/evil',
          'sub/link',
        ],
        [
          'a link to a directory inside, even so',
          ({ inside }) => {
            mkdirSync(join(inside, 'sub'))
            symlinkSync('sub', join(inside, 'link'))
          },
          'link/evil',
          'link',
        ],
        [
          'a link in place of the file',
          ({ inside, outside }) => symlinkSync(join(outside, 'theirs'), join(inside, 'a')),
          'a',
          'a',
        ],
        [
          'a link that leads nowhere in place of the file',
          ({ inside, outside }) => symlinkSync(join(outside, 'new'), join(inside, 'a')),
          'a',
          'a',
        ],
        [
          'a file in place of a directory',
          ({ inside }) => writeFileSync(join(inside, 'sub'), ''),
          'sub/a',
          'sub',
        ],
        ['a directory in place of the file', ({ inside }) => mkdirSync(join(inside, 'a')), 'a', 'a'],
        [
          'a pipe in place of a directory',
          ({ inside }) => void execFileSync('mkfifo', [join(inside, 'sub')]),
          'sub/a',
          'sub',
        ],
      ],
      async (_, plant, name, path) => {
        await using place = await insideAndOutside()
        plant(place)
        const entries = () => execFileSync('find', [place.inside], { encoding: 'utf8' })
        const before = entries()
        const error = await place.write(name).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(FileRefusedError)
        expect(error).toMatchObject({ data: { path } })
        place.outsideIsUntouched()
        expect(entries()).toBe(before)
      },
    ))

  test.each<[what: string, plant: (place: Place) => void]>([
    [
      'a pipe, without waiting for a reader',
      ({ inside }) => void execFileSync('mkfifo', [join(inside, 'a')]),
    ],
    [
      'a hard link to a file outside, which stays as it is',
      ({ inside, outside }) => linkSync(join(outside, 'theirs'), join(inside, 'a')),
    ],
    ['a file that nobody may write', ({ inside }) => writeFileSync(join(inside, 'a'), '', { mode: 0o000 })],
  ])('%s is replaced', async (_, plant) => {
    await using place = await insideAndOutside()
    plant(place)
    await place.write('a')
    expect(lstatSync(join(place.inside, 'a')).isFile()).toBe(true)
    expect(readFileSync(join(place.inside, 'a'), 'utf8')).toBe('ours')
    place.outsideIsUntouched()
  })
})

test('no file descriptor stays open, whether it went well or not', async () => {
  await using place = await insideAndOutside()
  symlinkSync(place.outside, join(place.inside, 'link'))
  await place.write('first')
  for (let count = 0; count < 100; count++) {
    await place.write(`a/b/c/${count}`)
    await place.write('a/link/../x').catch(() => {})
    await expect(place.write('link/evil')).rejects.toThrow()
    await expect(place.write('a')).rejects.toThrow()
  }
  expect([...openPaths(place.inside), ...openPaths(place.outside)]).toEqual([])
})

test('a full disk or a missing root is not the name’s fault', async () => {
  await using place = await insideAndOutside()
  rmSync(place.inside, { recursive: true })
  const error = await place.write('a').catch((thrown: unknown) => thrown)
  expect(error).not.toBeInstanceOf(FileRefusedError)
  expect(error).toMatchObject({ code: 'ENOENT' })
  expect(existsSync(place.inside)).toBe(false)
})
