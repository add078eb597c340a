import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { type Container, Engine, type EngineConnection } from '@fenced/sandbox-docker'
import { type Requirement, requirement, rowTags } from '@fenced/testing'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { DirectoryCopy } from '../../sandbox/src/copy/directory-copy.ts'
import { CopiedDirectory, inside, openTestContainer, owner } from './copied-directory.ts'
import { type Fault, FaultyProxy } from './faulty-proxy.ts'

const smallDisk = requirement('small-disk', problemOfSmallDisk())

function problemOfSmallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory])
  if (status === 0) execFileSync('umount', [directory])
  rmSync(directory, { recursive: true })
  return status === 0
    ? undefined
    : `a file system cannot be mounted: ${stderr ?? 'there is no program mount'}`
}

const nothingSkipped = { skipped: [], skippedCount: 0, complete: true }

/** An engine, and how much of what takes long is tried there. */
export interface CopySubject {
  readonly name: string
  readonly missing: Requirement['missing']
  readonly connection: EngineConnection | undefined
  /** How many directories of 102 entries are copied at once. */
  readonly directories: number
  /** How many random histories of both sides are tried. */
  readonly histories: number
  /** Whether hundreds of megabytes are copied as well; what that takes here is the same for every engine. */
  readonly large: boolean
  /** Whether it differs from another subject only in how it is reached: what comes over the connection is tried. */
  readonly onlyReachedOtherwise?: boolean
}

/** A container that gives another answer than its own when it is asked for an archive. */
function answering(container: Container, get: SandboxBackend['get']): SandboxBackend {
  const own: SandboxBackend = container
  return new Proxy(own, {
    get: (_, name: keyof SandboxBackend) => {
      const value = name === 'get' ? get : own[name]
      return typeof value === 'function' ? value.bind(own) : value
    },
  })
}

const rows = rowTags({
  nightly: [
    { in: 'have the name ', except: ['"-rf"', '"été'] },
    'megabytes',
    '0 files',
    'terabyte',
    'whatever is done',
  ],
})

/** What holds for the copying of a working directory, whatever the engine. */
export function describeDirectoryCopy(subject: CopySubject): void {
  const { name: engineName, missing, connection, directories, histories, large } = subject
  const sameEngine = subject.onlyReachedOtherwise ?? false
  describe.skipIf(missing)(`a directory and its copy in a container of ${engineName}`, rows, () => {
    let engine: Engine
    let container: Container

    beforeAll(async () => {
      engine = await Engine.connect(connection)
      container = await openTestContainer(engine)
    })

    afterAll(async () => {
      await container?.remove()
      engine?.close()
    })

    describe('copied in', () => {
      test('are files and directories, with their modes, and belong to whoever runs the code', async () => {
        await using work = await CopiedDirectory.open(container)
        mkdirSync(work.at('data/empty'), { recursive: true })
        writeFileSync(work.at('data/a.csv'), '1,2\n')
        writeFileSync(work.at('run.sh'), 'echo', { mode: 0o755 })
        writeFileSync(work.at('private'), '', { mode: 0o600 })
        expect(await work.in()).toEqual([])
        expect(await work.there()).toEqual({
          data: '/',
          'data/empty': '/',
          'data/a.csv': '1,2\n',
          'run.sh': '+echo',
          private: '',
        })
        const listed = await work.run('stat -c "%u:%g %a %n" data data/a.csv run.sh private')
        expect(listed.trim().split('\n')).toEqual(
          ['755 data', '644 data/a.csv', '755 run.sh', '600 private'].map((end) => `1000:1000 ${end}`),
        )
      })

      test.skipIf(sameEngine)('let the code write where it likes', async () => {
        await using work = await CopiedDirectory.open(container)
        mkdirSync(work.at('sub'))
        writeFileSync(work.at('sub/a'), '')
        await work.in()
        await work.run('echo > new && echo > sub/new && echo >> sub/a && rm sub/a && mkdir other')
      })

      test
        .skipIf(sameEngine)
        .each([
          'with space',
          '-rf',
          'line\nbreak',
          'été/日本.txt',
          `${'x'.repeat(255)}`,
          `${`${'d'.repeat(200)}/`.repeat(5)}x`,
          '\\back',
          `it's "quoted" $HOME`,
        ])('have the name %j', async (name) => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write(name, 'content')
        await work.in()
        expect(await work.there()).toEqual(work.here())
        expect((await work.there())[name]).toBe('content')
        await work.run('echo changed > "$1"', name)
        expect(await work.changes(() => work.out())).toEqual([name])
        rmSync(work.at(name.split('/')[0] ?? ''), { recursive: true })
        expect(await work.in()).toEqual([name.split('/')[0]])
        expect(await work.there()).toEqual({})
      })

      test('are only those that changed', async () => {
        await using work = await CopiedDirectory.open(container)
        for (const name of ['sub/same', 'sub/changed', 'sub/gone', 'gone/a/b'])
          await work.host.write(name, 'old')
        await work.in()
        const times = () => work.run('stat -c "%n %Z" sub/*')
        const before = await times()
        writeFileSync(work.at('sub/changed'), 'new')
        rmSync(work.at('sub/gone'))
        rmSync(work.at('gone'), { recursive: true })
        await work.host.write('new', 'new')
        expect((await work.copy.copyIn(never())).removed.toSorted()).toEqual(['gone', 'sub/gone'])
        // The caller has removed nothing yet.
        expect(Object.keys(await work.there())).toContain('sub/gone')
        expect(before.split('\n').filter((line) => line.includes('same'))).toEqual(
          (await times()).split('\n').filter((line) => line.includes('same')),
        )
        await work.run('rm -rf sub/gone gone')
        expect(await work.there()).toEqual(work.here())
      })

      test.skipIf(sameEngine)('are neither links nor what tools make again', async () => {
        await using work = await CopiedDirectory.open(container)
        symlinkSync('/etc/passwd', work.at('link'))
        symlinkSync('/', work.at('root'))
        for (const directory of ['node_modules', '.venv', 'sub/__pycache__']) {
          await work.host.write(`${directory}/x`, '')
        }
        await work.in()
        expect(await work.there()).toEqual({ sub: '/' })
      })

      test.skipIf(sameEngine).each<[what: string, before: string, after: string]>([
        ['a directory became a file', 'name/sub/a', 'name'],
        ['a file became a directory', 'name', 'name/sub/a'],
      ])('when %s', async (_, before, after) => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write(before, 'before')
        await work.in()
        rmSync(work.at('name'), { recursive: true })
        await work.host.write(after, 'after')
        await work.in()
        expect(await work.there()).toEqual(work.here())
      })

      test.skipIf(sameEngine)(
        'do not go through a link that the code put in place of a directory',
        async () => {
          await using work = await CopiedDirectory.open(container)
          await work.host.write('sub/a', 'a')
          await work.in()
          await work.run('rm -r sub && mkdir elsewhere && ln -s elsewhere sub')
          writeFileSync(work.at('sub/a'), 'changed')
          await work.in()
          expect(await work.there()).toEqual({ elsewhere: '/', sub: '/', 'sub/a': 'changed' })
        },
      )

      test.skipIf(sameEngine)('may have times of long ago and times to come', async () => {
        await using work = await CopiedDirectory.open(container)
        for (const [name, seconds] of Object.entries({ past: -3e9, begin: 0, future: 5e9 })) {
          await work.host.write(name, '')
          utimesSync(work.at(name), seconds, seconds)
        }
        await work.in()
        expect(await work.there()).toEqual(work.here())
        expect(await work.changes(() => work.out())).toEqual([])
      })

      test('are a hundred megabytes', async () => {
        await using work = await CopiedDirectory.open(container)
        writeFileSync(work.at('big'), '')
        truncateSync(work.at('big'), 100_000_000)
        writeFileSync(work.at('big'), 'end', { flag: 'a' })
        await work.in()
        expect(await work.run('stat -c %s big && tail -c 3 big')).toBe('100000003\nend')
        expect(await work.changes(() => work.out())).toEqual([])
      })
    })

    test('a new container gets everything', async () => {
      await using work = await CopiedDirectory.open(container)
      await work.host.write('sub/a', 'a')
      await work.in()
      await work.run('echo b > b')
      await work.out()
      const other = await openTestContainer(engine, '1000:1000')
      try {
        const copy = new DirectoryCopy({ hostDirectory: work.host, backend: other, path: inside, owner })
        expect((await copy.copyIn(never())).removed).toEqual([])
        expect(await work.changes(() => copy.copyOut(never()))).toEqual([])
        expect(await work.there()).toEqual({ sub: '/', 'sub/a': 'a', b: 'b\n' })
      } finally {
        await other.remove()
      }
    })

    describe('copied out', () => {
      test('is what the code made, changed and removed, and nothing else', async () => {
        await using work = await CopiedDirectory.open(container)
        for (const name of ['same', 'changed', 'gone', 'sub/same', 'sub/changed', 'sub/gone', 'away/a/b']) {
          await work.host.write(name, 'old')
        }
        await work.in()
        expect(await work.changes(() => work.out())).toEqual([])
        await work.run(`
          echo new > changed; echo new > sub/changed; rm -r gone sub/gone away
          mkdir -p empty new/deep; echo new > new/deep/made; touch same; cat same > copy; mv copy sub/same`)
        let report: Awaited<ReturnType<typeof work.out>> | undefined
        const copyOut = async () => {
          report = await work.out()
        }
        expect(await work.changes(copyOut)).toEqual([
          '-away/a/b',
          '-gone',
          '-sub/gone',
          'changed',
          'new/deep/made',
          'sub/changed',
        ])
        expect(report).toEqual(nothingSkipped)
        expect(work.here()).toEqual(await work.there())
        expect(work.here()).toMatchObject({ empty: '/', 'sub/same': 'old' })
        expect(await work.changes(() => work.out())).toEqual([])
        expect(await work.in()).toEqual([])
      })

      test('is what was changed although its size and time were not', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write('small', 'before')
        await work.host.write('large', `before${'x'.repeat(3_000_000)}`)
        await work.in()
        await work.python(`
import os
for name in ['small', 'large']:
    stat = os.stat(name)
    with open(name, 'r+') as file: file.write('after!')
    os.utime(name, ns=(stat.st_atime_ns, stat.st_mtime_ns))`)
        expect(await work.changes(() => work.out())).toEqual(['large', 'small'])
        expect(work.here()).toEqual(await work.there())
      })

      test.skipIf(sameEngine)('has its permission bits and can be read by its owner', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write('made executable', '')
        await work.in()
        await work.run(`
          echo > setuid; chmod 6755 setuid; echo > locked; chmod 000 locked; chmod +x "made executable"; echo > secret; chmod 600 secret
          mkdir closed; echo > closed/a; chmod 000 closed`)
        expect(await work.changes(() => work.out())).toEqual([
          'closed/a',
          'locked',
          'made executable',
          'secret',
          'setuid',
        ])
        const modes = ['setuid', 'locked', 'made executable', 'secret', 'closed'].map(
          (name) => statSync(work.at(name)).mode & 0o7777,
        )
        const mask = ~process.umask()
        expect(modes).toEqual([0o755, 0o600, 0o755, 0o600, 0o777].map((mode) => mode & mask))
        expect(await work.changes(() => work.out())).toEqual([])
      })

      test.skipIf(sameEngine)(
        'is no link, no device and no name that is not UTF-8, and that is told once',
        async () => {
          await using work = await CopiedDirectory.open(container)
          await work.in()
          await work.python(`
import os, socket
os.symlink('/etc/passwd', 'link')
os.symlink('/', 'root')
os.mkfifo('pipe')
socket.socket(socket.AF_UNIX).bind('socket')
open(b'bad\\xff', 'w').close()
open('good', 'w').close()`)
          const { skipped, ...report } = await work.out()
          expect(skipped.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
            { name: 'bad\uFFFD', why: 'has a name that is not UTF-8, or contains U+FFFD' },
            { name: 'link', why: 'is a symbolic link' },
            { name: 'pipe', why: 'is not a regular file' },
            { name: 'root', why: 'is a symbolic link' },
          ])
          expect(report).toEqual({ skippedCount: 4, complete: true })
          expect(work.here()).toEqual({ good: '' })
          expect(await work.out()).toEqual(nothingSkipped)
          await work.run('ln -s good another')
          expect((await work.out()).skipped).toEqual([{ name: 'another', why: 'is a symbolic link' }])
          await work.run('ln -sfn nowhere another')
          expect((await work.out()).skipped).toEqual([{ name: 'another', why: 'is a symbolic link' }])
          expect(await work.out()).toEqual(nothingSkipped)
        },
      )

      test.skipIf(sameEngine)('is every name of a file that has several', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.run('echo 1 > a; ln a b; mkdir sub; ln a sub/c')
        expect(await work.changes(() => work.out())).toEqual(['a', 'b', 'sub/c'])
        expect(await work.changes(() => work.out())).toEqual([])
        await work.run('echo 2 > b')
        expect(await work.changes(() => work.out())).toEqual(['a', 'b', 'sub/c'])
        await work.run('rm a')
        expect(await work.changes(() => work.out())).toEqual(['-a'])
        expect(work.here()).toEqual(await work.there())
      })

      test.skipIf(sameEngine)('is a file with holes', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.run('truncate -s 5000000 holes; echo end >> holes')
        await work.out()
        expect(
          readFileSync(work.at('holes')).equals(
            Buffer.concat([Buffer.alloc(5_000_000), Buffer.from('end\n')]),
          ),
        ).toBe(true)
      })

      test.skipIf(sameEngine).each<[what: string, before: string, script: string]>([
        ['a directory became a file', 'name/sub/a', 'rm -r name; echo > name'],
        ['a file became a directory', 'name', 'rm name; mkdir name; echo > name/a'],
      ])('when %s', async (_, before, script) => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write(before, 'before')
        await work.in()
        await work.run(script)
        expect(await work.out()).toEqual(nothingSkipped)
        expect(work.here()).toEqual(await work.there())
      })

      test.skipIf(sameEngine)('goes without what became a link', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write('file', '')
        await work.host.write('directory/a', '')
        await work.in()
        await work.run('rm -r file directory; ln -s /etc/passwd file; ln -s /etc directory')
        expect((await work.out()).skippedCount).toBe(2)
        expect(work.here()).toEqual({})
      })

      test.skipIf(sameEngine)('goes nowhere through links on this machine', async () => {
        await using work = await CopiedDirectory.open(container)
        const outside = mkdtempSync(join(tmpdir(), 'fenced-test-'))
        onTestFinished(() => rmSync(outside, { recursive: true }))
        symlinkSync(outside, work.at('link'))
        symlinkSync(join(outside, 'file'), work.at('file'))
        await work.in()
        await work.run('mkdir link; echo > link/evil; echo > file')
        const { skipped, complete } = await work.out()
        expect(skipped.map(({ name }) => name).toSorted()).toEqual(['file', 'link', 'link/evil'])
        expect([complete, readdirSync(outside)]).toEqual([true, []])
        await work.run('rm -r link file')
        await work.out()
        expect(Object.keys(work.here()).toSorted()).toEqual(['file', 'link'])
      })

      test.skipIf(sameEngine)('is not what tools make again', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.run(
          'for d in node_modules .venv sub/__pycache__; do mkdir -p $d; echo > $d/x; done; mkdir .git; echo > .git/x; echo > y',
        )
        expect(await work.out()).toEqual(nothingSkipped)
        expect(work.here()).toEqual({ sub: '/', y: '\n' })
      })

      test(`is ${directories * 101} files`, { timeout: 180_000 }, async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.python(`
import os
for i in range(${directories}):
    os.mkdir(str(i))
    for j in range(101): open(f'{i}/{j}', 'w').write(f'{i} {j}')`)
        await work.out()
        expect(Object.keys(work.here())).toHaveLength(directories * 102)
        expect(work.here()['9/100']).toBe('9 100')
        expect(await work.in()).toEqual([])
        await work.run('rm -r 5 6; echo new > 7/7')
        await work.out()
        expect(Object.keys(work.here())).toHaveLength((directories - 2) * 102)
        for (const directory of ['1', '2']) rmSync(work.at(directory), { recursive: true })
        await work.in()
        expect(await work.there()).toEqual(work.here())
      })
    })

    test('an archive that the engine ends too soon takes no file along', { timeout: 180_000 }, async () => {
      await using work = await CopiedDirectory.open(container)
      await work.host.write('z', '')
      await work.in()
      // Podman gives up at a path that is too long for it, and says so to nobody.
      await work.python(`
import os
for _ in range(21):
    os.mkdir('d' * 200)
    os.chdir('d' * 200)`)
      await work.out()
      expect(Object.keys(work.here())).toContain('z')
      const archive = pack()
      archive.entry({ name: 'workspace/', type: 'directory', mode: 0o755, ...owner })
      archive.finalize()
      const early = await buffer(archive)
      const copy = new DirectoryCopy({
        hostDirectory: work.host,
        backend: answering(container, async () => Readable.from([early])),
        path: inside,
        owner,
      })
      await copy.copyIn(never())
      await work.run('rm z')
      expect(await copy.copyOut(never())).toEqual({ ...nothingSkipped, complete: false })
      expect(Object.keys(work.here())).toContain('z')
    })

    describe('more than may be copied at once', () => {
      test('stays there; what comes after it is brought, and it is told', async () => {
        await using work = await CopiedDirectory.open(container, { maxBytes: 1_000_000 })
        await work.in()
        await work.run('head -c 1000001 /dev/zero > b; echo > a; mkdir c; echo > c/d')
        const why = 'is more than the rest of the 1000000 bytes that are copied at once'
        expect(await work.out()).toEqual({ skipped: [{ name: 'b', why }], skippedCount: 1, complete: true })
        expect(work.here()).toEqual({ a: '\n', c: '/', 'c/d': '\n' })
        expect(await work.out()).toEqual(nothingSkipped)
        await work.run('head -c 1000002 /dev/zero > b')
        expect((await work.out()).skipped).toEqual([{ name: 'b', why }])
      })

      test('comes with the next copy where each part is small enough', async () => {
        await using work = await CopiedDirectory.open(container, { maxBytes: 1_000_000 })
        await work.in()
        await work.run('for i in 1 2 3; do head -c 600000 /dev/zero > $i; done')
        const counts = []
        for (let round = 0; round < 3; round++) {
          await work.out()
          counts.push(Object.keys(work.here()).length)
        }
        expect(counts).toEqual([1, 2, 3])
      })

      test('is not read to its end: a file of a terabyte hides nothing', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write('m/old', '')
        await work.in()
        await work.run(`
          truncate -s 1T huge m/huge .huge; echo > zebra; echo > m/zebra; mkdir n m/n; echo > n/a; echo > m/n/a
          rm m/old; echo > 'm/new
line'; ln -s n link; mkdir node_modules; truncate -s 1T node_modules/huge; echo > after; echo > node_modules/after`)
        const { skipped, complete } = await work.out()
        expect(skipped.map(({ name }) => name).toSorted()).toEqual(['.huge', 'huge', 'link', 'm/huge'])
        expect(complete).toBe(true)
        expect(Object.keys(work.here()).toSorted()).toEqual(
          ['after', 'm', 'm/n', 'm/n/a', 'm/new\nline', 'm/zebra', 'n', 'n/a', 'zebra'].toSorted(),
        )
        expect(await work.out()).toEqual(nothingSkipped)
      })

      test.skipIf(sameEngine)(
        'keeps what was here before it grew, and comes when it has shrunk',
        async () => {
          await using work = await CopiedDirectory.open(container, { maxBytes: 1_000_000 })
          await work.host.write('a', 'small')
          await work.in()
          await work.run('head -c 2000000 /dev/zero >> a')
          expect((await work.out()).skippedCount).toBe(1)
          expect(work.here()).toEqual({ a: 'small' })
          expect(await work.in()).toEqual([])
          await work.run('echo small again > a')
          await work.out()
          expect(work.here()).toEqual({ a: 'small again\n' })
        },
      )

      test.skipIf(sameEngine)('may lie here: it is copied in and left alone', async () => {
        await using work = await CopiedDirectory.open(container, { maxBytes: 1_000_000 })
        writeFileSync(work.at('data'), Buffer.alloc(2_000_000))
        await work.in()
        await work.run('echo > result')
        expect(await work.changes(() => work.out())).toEqual(['result'])
      })

      test('may lie here and be so large that it is not even read', async () => {
        await using work = await CopiedDirectory.open(container, { maxBytes: 1_000_000 })
        writeFileSync(work.at('data'), Buffer.alloc(60_000_000))
        await work.host.write('old', '')
        await work.in()
        await work.run('echo > result; rm old')
        expect(await work.changes(() => work.out())).toEqual(['-old', 'result'])
      })
    })

    describe.skipIf(sameEngine)('shared by two', () => {
      test('what one changed is not overwritten by another that did not', async () => {
        await using work = await CopiedDirectory.open(container)
        for (const name of ['a', 'b', 'gone']) await work.host.write(name, 'old')
        await work.in()
        // Meanwhile, somebody else:
        writeFileSync(work.at('a'), 'theirs')
        rmSync(work.at('gone'))
        writeFileSync(work.at('new'), 'theirs')
        await work.run('echo ours > b; touch a gone')
        expect(await work.changes(() => work.out())).toEqual(['b'])
        expect(work.here()).toEqual({ a: 'theirs', b: 'ours\n', new: 'theirs' })
        await work.in()
        expect(await work.there()).toEqual(work.here())
      })

      test('the last copy wins where both changed a file, and a change wins over a removal', async () => {
        await using work = await CopiedDirectory.open(container)
        for (const name of ['both', 'removed there', 'removed here']) await work.host.write(name, 'old')
        await work.in()
        writeFileSync(work.at('both'), 'theirs')
        writeFileSync(work.at('removed there'), 'theirs')
        rmSync(work.at('removed here'))
        await work.run('echo ours > both; rm "removed there"; echo ours > "removed here"')
        await work.out()
        expect(work.here()).toEqual({ both: 'ours\n', 'removed there': 'theirs', 'removed here': 'ours\n' })
        await work.in()
        expect(await work.there()).toEqual(work.here())
      })

      test('a directory that holds what others put there stays', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.host.write('sub/a', '')
        await work.in()
        await work.host.write('sub/theirs', '')
        await work.run('rm -r sub')
        await work.out()
        expect(work.here()).toEqual({ sub: '/', 'sub/theirs': '' })
      })
    })

    describe.skipIf(sameEngine)('when something fails', () => {
      const address = connection ?? process.env.DOCKER_HOST
      const socket = typeof address === 'string' ? address.match(/^unix:\/\/(.*)$/)?.[1] : undefined

      /**
       * Copies to and from the container of the other tests through a proxy. The looking at it goes past that: at its end
       * an engine closes the connection of a command, and the proxy may lose the last of a long answer.
       */
      async function openThroughProxy() {
        const proxy = await FaultyProxy.open(socket ?? '')
        const proxied = await Engine.connect(`unix://${proxy.path}`)
        const found = await proxied.findContainer(container.id, never())
        if (found === undefined) throw new Error('The container is not there.')
        const work = await CopiedDirectory.open(found.container)
        onTestFinished(async () => {
          await work[Symbol.asyncDispose]()
          proxied.close()
          await proxy[Symbol.asyncDispose]()
        })
        return { proxy, work }
      }

      const large = Buffer.alloc(5_000_000, 'x').toString()

      test.skipIf(socket === undefined)(
        'a copy in that is cut can be made again, and spoils nothing here',
        async () => {
          const { proxy, work } = await openThroughProxy()
          for (const name of ['a', 'm', 'z']) await work.host.write(name, 'before')
          await work.in()
          for (const name of ['a', 'm', 'new']) await work.host.write(name, name === 'a' ? 'after' : large)
          proxy.fault = { kind: 'cut', direction: 'to the engine', afterBytes: 2_000_000 }
          await expect(work.copy.copyIn(never())).rejects.toThrow()
          proxy.fault = undefined
          // Half of a file may have come there. It must not come back.
          expect(await work.changes(() => work.out())).toEqual([])
          rmSync(work.at('new'))
          await work.in()
          expect(await work.there()).toEqual(work.here())
          expect(await work.there()).toEqual({ a: 'after', m: large, z: 'before' })
        },
      )

      test.skipIf(socket === undefined)(
        'a copy out that is cut brings whole files, and can be made again',
        async () => {
          const { proxy, work } = await openThroughProxy()
          for (const name of ['a', 'gone', 'm', 'z']) await work.host.write(name, 'before')
          await work.in()
          const after = await work.python(`
import os
for name in ['a', 'm', 'z', 'new']: open(name, 'w').write('after' if name == 'a' else 'x' * 5_000_000)
os.remove('gone')`)
          expect(after).toBe('')
          proxy.fault = { kind: 'cut', direction: 'from the engine', afterBytes: 7_000_000 }
          await expect(work.out()).rejects.toThrow()
          proxy.fault = undefined
          expect(work.here()).toEqual({ a: 'after', gone: 'before', m: large, z: 'before' })
          // What was not brought is not overwritten either.
          expect(await work.in()).toEqual([])
          expect(await work.changes(() => work.out())).toEqual(['-gone', 'new', 'z'])
          expect(work.here()).toEqual(await work.there())
        },
      )

      test.skipIf(socket === undefined).each<Fault['direction']>(['to the engine', 'from the engine'])(
        'a copy that stands still %s ends with the signal, at once',
        async (direction) => {
          const { proxy, work } = await openThroughProxy()
          await work.in()
          if (direction === 'to the engine') await work.host.write('large', large)
          else await work.run('head -c 5000000 /dev/zero > large')
          const before = work.here()
          proxy.fault = { kind: 'stall', direction, afterBytes: 1_000_000 }
          const stop = new AbortController()
          const copying = direction === 'to the engine' ? work.in(stop.signal) : work.out(stop.signal)
          const reason = new Error('enough')
          setTimeout(() => stop.abort(reason), 300)
          await expect(copying).rejects.toBe(reason)
          proxy.fault = undefined
          expect(work.here()).toEqual(before)
          await work.in()
          await work.out()
          expect(work.here()).toEqual(await work.there())
          expect(Object.keys(work.here())).toEqual(['large'])
        },
      )

      test('a signal that has come already lets nothing begin', async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.host.write('a', '')
        const reason = new Error('enough')
        await expect(work.in(AbortSignal.abort(reason))).rejects.toBe(reason)
        await expect(work.out(AbortSignal.abort(reason))).rejects.toBe(reason)
        expect(await work.there()).toEqual({})
      })

      test('a container that is gone takes no file along', async () => {
        const other = await openTestContainer(engine)
        await using work = await CopiedDirectory.open(other)
        await work.host.write('sub/a', 'a')
        await work.in()
        await other.remove()
        await expect(work.out()).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
        expect(work.here()).toEqual({ sub: '/', 'sub/a': 'a' })
        await work.host.write('b', '')
        await expect(work.in()).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
      })

      test.skipIf(smallDisk.missing)(
        'a full disk is told, leaves no half file, and can be made good',
        async () => {
          const path = mountSmallDisk()
          const host = new HostWorkDirectory({ path })
          await using work = await CopiedDirectory.open(container, { hostDirectory: host })
          await host.write('kept', 'before')
          await work.copy.copyIn(never())
          await work.run('head -c 600000 /dev/zero > a; head -c 3000000 /dev/zero > kept; echo > z')
          const error = await work.copy.copyOut(never()).catch((thrown: unknown) => thrown)
          expect(error).toMatchObject({ name: 'FencedError', code: 'WORK_DIR_UNUSABLE' })
          expect(String(error)).toContain(path)
          expect(statSync(join(path, 'a')).size).toBe(600_000)
          expect(readFileSync(join(path, 'kept'), 'utf8')).toBe('before')
          expect(readdirSync(path).toSorted()).toEqual(['a', 'kept'])
          await work.run('rm a; truncate -s 1000000 kept')
          expect(await work.copy.copyOut(never())).toEqual(nothingSkipped)
          expect(readdirSync(path).toSorted()).toEqual(['kept', 'z'])
          expect(statSync(join(path, 'kept')).size).toBe(1_000_000)
        },
      )
    })

    test.runIf(large)(
      'two hundred megabytes take little memory, out and in',
      { timeout: 120_000 },
      async () => {
        await using work = await CopiedDirectory.open(container)
        await work.in()
        await work.run('head -c 200000000 /dev/zero > big')
        expect(await memoryTaken(() => work.out())).toBeLessThan(100_000_000)
        expect(statSync(work.at('big')).size).toBe(200_000_000)
        utimesSync(work.at('big'), 1, 1)
        expect(await memoryTaken(() => work.in())).toBeLessThan(100_000_000)
      },
    )

    test('whatever is done on both sides, they end up the same', { timeout: 300_000 }, async () => {
      const name = fc.constantFrom('a', 'b', 'a/c', 'a/d', 'a/c/e', 'b/f')
      const change = fc.oneof(
        fc.record({ kind: fc.constant('write'), name, content: fc.constantFrom('one', 'two', 'three') }),
        fc.record({ kind: fc.constant('make'), name, content: fc.constant('') }),
        { arbitrary: fc.record({ kind: fc.constant('remove'), name, content: fc.constant('') }), weight: 2 },
      )
      const changes = fc.array(change, { maxLength: 6 })
      const rounds = fc.array(fc.record({ before: changes, inside: changes, meanwhile: changes }), {
        minLength: 1,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          await using work = await CopiedDirectory.open(container)
          const expectTheSame = async () => expect(await work.there()).toEqual(work.here())
          let refused = 0
          for (const { before, inside: insideChanges, meanwhile } of all) {
            changeHere(work.host.hostPath, before)
            await work.in()
            // What was refused is still there, and may come when its place is free.
            if (refused === 0) await expectTheSame()
            await work.python(changeThere, JSON.stringify(insideChanges))
            changeHere(work.host.hostPath, meanwhile)
            refused = (await work.out()).skippedCount
            if (meanwhile.length === 0) await expectTheSame()
          }
          for (const copy of ['in', 'out', 'in'] as const) await work[copy]()
          await expectTheSame()
        }),
        { numRuns: histories },
      )
    })
  })
}

function never(): { signal: AbortSignal } {
  return { signal: new AbortController().signal }
}

/** By how much more memory this process has, at most, while something is done. */
async function memoryTaken(act: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before)
  }, 5)
  await act()
  clearInterval(watch)
  return most
}

interface Change {
  readonly kind: string
  readonly name: string
  readonly content: string
}

/** Makes changes as a program would that does not care what is in its way. */
function changeHere(root: string, changes: readonly Change[]): void {
  for (const { kind, name, content } of changes) {
    const path = join(root, name)
    const parts = name.split('/')
    for (const ancestor of parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))) {
      const isFile = existsSync(ancestor) && statSync(ancestor).isFile()
      if (isFile || (ancestor === path && kind !== 'make')) rmSync(ancestor, { recursive: true, force: true })
    }
    if (kind === 'remove') continue
    mkdirSync(kind === 'make' ? path : dirname(path), { recursive: true })
    if (kind === 'write') writeFileSync(path, content)
  }
}

/** The same in the container. */
const changeThere = `
import json, os, shutil, sys
def remove(path):
    if os.path.isdir(path): shutil.rmtree(path)
    elif os.path.exists(path): os.remove(path)
for change in json.loads(sys.argv[1]):
    kind, path = change['kind'], change['name']
    ancestors = path.split('/')[:-1]
    for count in range(1, len(ancestors) + 1):
        if os.path.isfile('/'.join(ancestors[:count])): os.remove('/'.join(ancestors[:count]))
    if kind != 'make' or os.path.isfile(path): remove(path)
    if kind == 'remove': continue
    os.makedirs(path if kind == 'make' else os.path.dirname(path) or '.', exist_ok=True)
    if kind == 'write': open(path, 'w').write(change['content'])
`

/** A directory with two megabytes of room. */
function mountSmallDisk(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory])
  onTestFinished(() => {
    execFileSync('umount', [directory])
    rmSync(directory, { recursive: true })
  })
  return directory
}
