// @module-tag all

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessEnd, Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProcessFiles } from '../src/index.ts'
import { busybox, spawnWith, type Tools } from './busybox.ts'
import { localSandbox } from './local-sandbox.ts'

describe('with the tools of system', () => describeFiles('system'))
describe.skipIf(busybox.missing)('with the tools of busybox', { tags: 'nightly' }, () =>
  describeFiles('busybox'),
)

function describeFiles(tools: Tools): void {
  const { sandbox } = localSandbox()
  const { directory } = sandbox
  const spawn = spawnWith(tools, sandbox)
  /** Processes that the files have started, the newest last. */
  const started: Promise<SandboxProcess>[] = []
  const files = new ProcessFiles({
    spawn: (...given) => {
      const starting = spawn(...given)
      started.push(starting)
      return starting
    },
    directory,
  })
  beforeAll(() => sandbox.start())
  afterAll(() => sandbox.stop())

  /** A directory of a test's own. */
  function folder(name: string): string {
    const path = join(directory, name)
    mkdirSync(path)
    return path
  }

  async function shell(script: string): Promise<void> {
    await (await sandbox.spawn(['/bin/sh', '-c', script])).ended
  }

  async function contentOf(path: string): Promise<string | undefined> {
    const content = await files.read(path)
    return content === undefined ? undefined : text(content)
  }

  it('reads the reason of a process that has ended before its start is reported', async () => {
    const late = new ProcessFiles({
      spawn: async (...given) => {
        const process = await spawn(...given)
        await process.ended
        return process
      },
      directory,
    })
    expect(await late.read('missing')).toBeUndefined()
  })

  it('lists names that patterns leave out or mean', async () => {
    const path = folder('patterns')
    const names = [
      '.hidden',
      '..two',
      '...',
      '*',
      '.[!.]*',
      '..?*',
      '-',
      '--',

      '\n',
      'x\n',
      '\\',
    ]
    for (const name of names) writeFileSync(join(path, name), name)
    expect([...((await files.list('patterns'))?.keys() ?? [])].toSorted()).toEqual(names.toSorted())
  })

  it('tells size, mode and the time of the last change', async () => {
    await files.write('told', '12345', { mode: 0o2640 })
    const at = new Date('2020-02-02T20:20:20Z')
    utimesSync(join(directory, 'told'), at, at)
    expect(await files.stat('told')).toEqual({
      kind: 'file',
      sizeBytes: 5,
      mode: 0o2640,
      uid: process.getuid?.(),
      gid: process.getgid?.(),
      changedAtMs: at.getTime(),
    })
    expect(await files.stat('/')).toMatchObject({ kind: 'directory', sizeBytes: 0 })
  })

  it('follows no link at the end of a path', async () => {
    folder('real')
    await shell('echo content > real/file; ln -s real linked; ln -s real/file name')
    expect(await files.read('name')).toBeUndefined()
    expect(await files.list('linked')).toBeUndefined()
    expect(await files.list('linked/')).toBeUndefined()
    await files.write('name', 'own')
    expect(await files.stat('name')).toMatchObject({ kind: 'file' })
    await files.write('linked', 'own')
    expect(await files.stat('linked')).toMatchObject({ kind: 'file' })
    expect([...((await files.list('real'))?.keys() ?? [])]).toEqual(['file'])
  })

  it('holds a process up while nobody reads its file, and ends it with its reader', async () => {
    await shell('head -c 30000000 /dev/zero > large')
    const content = (await files.read('large')) ?? []
    // Long enough for all of it to come.
    await sleep(200)
    expect((content as Readable).readableLength).toBeLessThan(1_000_000)
    for await (const chunk of content) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(await (await started.at(-1))?.ended).toMatchObject({ kind: 'exited', wasStopped: true })
  })

  it('asks for no more content than its process takes', async () => {
    let given = 0
    async function* pieces() {
      for (; given < 100; given++) yield new Uint8Array(1_000_000)
    }
    const idle = await sandbox.spawn(['/bin/sh', '-c', 'sleep 60'], { stdin: 'open' })
    const slow = new ProcessFiles({ spawn: async () => idle, directory })
    const refused = assert.rejects(slow.write('much', pieces()), { code: 'FILE_REFUSED' })
    // Long enough for all of it to go.
    await sleep(200)
    expect(given).toBeLessThan(10)
    await idle.kill()
    await refused
  })

  it('takes no end for a success that comes before all content was taken', async () => {
    const short = await sandbox.spawn(['/bin/sh', '-c', ':'], { stdin: 'open' })
    await short.ended
    const files = new ProcessFiles({ spawn: async () => short, directory })
    await assert.rejects(files.write('short', pieceOf('x')), { code: 'FILE_REFUSED' })
  })

  it('keeps the old content and leaves nothing when a write is cancelled', async () => {
    const path = folder('cancelled')
    for (const endless of [false, true]) {
      await files.write('cancelled/file', 'before')
      const controller = new AbortController()
      const reason = new Error('not wanted')
      async function* pieces() {
        yield new Uint8Array(100_000)
        controller.abort(reason)
        if (endless) await new Promise(() => {})
      }
      await assert.rejects(files.write('cancelled/file', pieces(), { signal: controller.signal }), reason)
      expect(readdirSync(path)).toEqual(['file'])
      expect(await contentOf('cancelled/file')).toBe('before')
    }
  })

  it('ends a read that is cancelled with the reason', async () => {
    await shell('head -c 30000000 /dev/zero > ended')
    const controller = new AbortController()
    const reason = new Error('not wanted')
    const content = (await files.read('ended', { signal: controller.signal })) ?? []
    await assert.rejects(async () => {
      for await (const _ of content) controller.abort(reason)
    }, reason)
    await (await started.at(-1))?.ended
  })

  it('says the path and why it is refused', async () => {
    const path = folder('refused')
    writeFileSync(join(path, 'file'), '')
    mkdirSync(join(path, 'directory'))
    const refusals = {
      'refused/directory': /^Is a directory$/,
      'refused/file/below': /(Not a directory|File exists)$/,
      [`refused/${'x'.repeat(300)}`]: /^File name too long$/,
      '/proc/version/x': /(Not a directory|File exists)$/,
      '/proc/x': /(directory|nonexistent)$/i,
      'a\0b': /./,
      'a\ud800b': /./,
    }
    for (const [name, reason] of Object.entries(refusals)) {
      await refuses(files.write(name, 'x'), name, reason)
      await refuses(files.write(name, pieceOf('x')), name, reason)
    }
    for (const name of ['.', '..', '/']) {
      await refuses(files.remove(name), name)
      await refuses(files.write(name, 'x'), name, /^Is a directory$/)
    }
    await refuses(files.makeDirectory('refused/file'), 'refused/file', /^File exists$/)
    expect(await files.stat('refused/file/below')).toBeUndefined()
    await files.remove('refused/file/below')
    expect(readdirSync(path).toSorted()).toEqual(['directory', 'file'])
  })

  it('writes over itself without ever showing a part', async () => {
    const contents = ['a', 'b'].map((letter) => letter.repeat(200_000))
    await files.write('replaced', contents[0] ?? '')
    const writing = Array.from({ length: 10 }, (_, index) =>
      files.write('replaced', index % 2 ? pieceOf(contents[1] ?? '') : (contents[0] ?? '')),
    )
    for (let count = 0; count < 5; count++) {
      expect(contents).toContain(await contentOf('replaced'))
    }
    await Promise.all(writing)
  })

  it('makes what is not writable writable to remove it', async () => {
    await shell('mkdir -p closed/a; touch closed/a/file; chmod 500 closed/a closed')
    await files.remove('closed')
    expect(await files.stat('closed')).toBeUndefined()
  })

  it('lists three thousand names in one process', () => expectListed(3_000))

  it('lists a hundred thousand names in one process', { tags: 'nightly', timeout: 300_000 }, () =>
    expectListed(100_000),
  )

  it('refuses a directory with more names, and ends a listing without an end', async () => {
    const named = (script: string) =>
      new ProcessFiles({
        spawn: ([program, flag, _, ...args], options) =>
          spawn([program, flag ?? '', script, ...args], options),
        directory,
      })
    const oneMore = "i=0; while [ $i -lt 101 ]; do yes '81a4 0 0 name/' | head -n 1000; i=$((i + 1)); done"
    await refuses(named(oneMore).list('.'), '.', /^it has more than 100000 names/)
    await refuses(named("exec yes '81a4 0 0 name/'").list('.'), '.', /^the sandbox sent more than/)
    await refuses(named('exec cat /dev/zero').stat('.'), '.', /^the sandbox sent more than/)
  })

  async function expectListed(many: number): Promise<void> {
    const path = folder(`many-${many}`)
    for (let index = 0; index < many; index++) writeFileSync(join(path, `${'n'.repeat(100)}-${index}`), '')
    const before = started.length
    expect((await files.list(`many-${many}`))?.size).toBe(many)
    expect(started.length - before).toBe(1)
  }
}

it('a file without permission is refused, and removed where its directory can be opened', async () => {
  await using sandbox = localSandbox().sandbox
  await sandbox.start()
  // Without capabilities, permissions hold for root as well.
  const without = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all'] : []
  const files = new ProcessFiles({
    spawn: (command, options) => sandbox.spawn(['env', ...without, ...command], options),
    directory: sandbox.directory,
  })
  await files.write('closed/in/file', 'x')
  await (await sandbox.spawn(['/bin/sh', '-c', 'chmod 0 closed/in/file closed/in'])).ended
  await refuses(files.stat('closed/in/file'), 'closed/in/file', /^Permission denied$/)
  await refuses(files.read('closed/in/file'), 'closed/in/file', /^Permission denied$/)
  await refuses(files.list('closed/in'), 'closed/in', /^Permission denied$/)
  await files.remove('closed')
  expect(await files.stat('closed')).toBeUndefined()
})

describe('a process that is lost', () => {
  it.each([
    { what: 'sandbox', code: 'SANDBOX_GONE' },
    { what: 'connection', code: 'ENGINE_LOST' },
  ] as const)('with its $what is $code', async ({ what, code }) => {
    await using sandbox = localSandbox().sandbox
    await sandbox.start()
    const files = new ProcessFiles({
      directory: sandbox.directory,
      spawn: losing(sandbox, { kind: 'lost', what, message: 'it broke.' }),
    })
    await assert.rejects(files.stat('x'), { code })
    await assert.rejects(files.write('x', 'y'), { code })
    await assert.rejects(files.read('x'), { code })
  })

  it('commits nothing of which only a part arrived', async () => {
    await using sandbox = localSandbox().sandbox
    await sandbox.start()
    await sandbox.files.write('cut', 'before')
    const spawn: Sandbox['spawn'] = async (command, options) => {
      const started = await sandbox.spawn(command, options)
      // The first piece arrives, and then its stdin ends.
      const write = started.stdin?.write.bind(started.stdin)
      if (started.stdin && write) {
        started.stdin.write = ((piece: Uint8Array) => {
          write(piece.subarray(0, 2))
          started.stdin?.end()
          return true
        }) as never
      }
      return started
    }
    const files = new ProcessFiles({ directory: sandbox.directory, spawn })
    for (const content of ['after', pieceOf('after')]) {
      await refuses(files.write('cut', content), 'cut')
    }
    expect(readdirSync(sandbox.directory)).toEqual(['cut'])
    expect(statSync(join(sandbox.directory, 'cut')).size).toBe(6)
  })
})

/** Processes whose end nobody knows. */
function losing(sandbox: Sandbox, end: ProcessEnd): Sandbox['spawn'] {
  return async (_, options) => {
    const started = await sandbox.spawn(['/bin/sh', '-c', ':'], { ...options, stdin: 'open' })
    const ended = started.ended.then(() => end)
    return new Proxy(started, {
      get: (target, key) => (key === 'ended' ? ended : Reflect.get(target, key, target)),
    })
  }
}

async function* pieceOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}

/** Asserts that a path is refused, and for a reason of the system the words of the system. */
async function refuses(call: Promise<unknown>, path: string, reason = /./): Promise<void> {
  await expect(call, path).rejects.toMatchObject({
    code: 'FILE_REFUSED',
    data: { path, reason: expect.stringMatching(reason) },
  })
}
