// @module-tag all

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, readlink, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

const isolated = { isolation: 'bubblewrap', memoryBytes: false, pids: false } as const
const places = [
  { where: 'on this machine', missing: false, options: {} },
  {
    where: 'in bubblewrap',
    missing: requirement('bubblewrap', await bubblewrapProblem()).missing,
    options: isolated,
  },
]

async function bubblewrapProblem(): Promise<string | undefined> {
  await using sandbox = new LocalSandbox(isolated)
  return await sandbox.start().then(() => undefined, String)
}

const cache = process.env.XDG_CACHE_HOME
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-cache-'))
  process.env.XDG_CACHE_HOME = folder
})
afterAll(async () => {
  if (cache === undefined) delete process.env.XDG_CACHE_HOME
  else process.env.XDG_CACHE_HOME = cache
  await rm(folder, { recursive: true, force: true })
})

async function sh(sandbox: ExecutorSandbox, line: string): Promise<string> {
  const chunks: Buffer[] = []
  const output = (_: string, chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  await (await sandbox.spawn(['/bin/sh', '-c', line], { output })).ended
  return Buffer.concat(chunks).toString().trim()
}

function newWork(line: string) {
  const work = {
    identity: randomUUID(),
    times: 0,
    prepare: async (sandbox: ExecutorSandbox) => {
      work.times++
      await sh(sandbox, line)
    },
  }
  return work
}

const installs = `mkdir bin; printf '#!%s/bin/run\\n%s-other\\n' "$PWD" "$PWD" > bin/tool; chmod +x bin/tool; ln -s "$PWD/bin/tool" link`

describe.each(places)('a sandbox $where', ({ missing, options }) => {
  it.skipIf(missing)('has the files that were prepared once, with its own path in them', async () => {
    const work = newWork(installs)
    const sandboxes = [1, 2, 3].map(() => new LocalSandbox(options))
    await Promise.all(sandboxes.map((sandbox) => sandbox.start({ preparation: work })))
    expect(work.times).toBe(1)
    const others = new Set<string>()
    for (const sandbox of sandboxes) {
      const { directory } = sandbox
      const [first, second = ''] = (await readFile(join(directory, 'bin/tool'), 'utf8')).split('\n')
      expect(first).toBe(`#!${directory}/bin/run`)
      others.add(second)
      expect(await readlink(join(directory, 'link'))).toBe(`${directory}/bin/tool`)
      expect(await sh(sandbox, 'test -x link && echo yes; rm -r bin; ls')).toBe('yes\nlink')
      await sandbox.stop()
    }
    // What only begins like the path is somebody else's name.
    expect(others.size).toBe(1)
  })
})

describe('a preparation', () => {
  it('is done again where a program has the path of its directory in its code', async () => {
    const work = newWork(`printf '\\0%s' "$PWD" > program`)
    for (let start = 0; start < 2; start++) {
      await using sandbox = new LocalSandbox()
      await sandbox.start({ preparation: work })
      expect(await readdir(sandbox.directory)).toEqual(['program'])
    }
    expect(work.times).toBe(2)
  })

  it('of a directory that was not empty keeps nothing of it, and changes nothing that stands there', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-prepared-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    await writeFile(join(directory, 'mine'), 'private')
    const work = newWork('echo made > made; echo theirs > mine')
    const start = async (options: object) => {
      await using sandbox = new LocalSandbox(options)
      await sandbox.start({ preparation: work })
      return await readdir(sandbox.directory)
    }
    await start({ workDir: directory })
    expect(await start({})).toEqual(['made', 'mine'])
    expect(work.times).toBe(2)
    await writeFile(join(directory, 'mine'), 'private')
    expect(await start({ workDir: directory })).toEqual(['made', 'mine'])
    expect(await readFile(join(directory, 'mine'), 'utf8')).toBe('private')
    expect(work.times).toBe(2)
  })

  it('that fails keeps nothing, and leaves a sandbox that has not started', async () => {
    const work = newWork('echo made > made')
    await using sandbox = new LocalSandbox()
    const fails = { ...work, prepare: async () => Promise.reject(new Error('not today')) }
    await expect(sandbox.start({ preparation: fails })).rejects.toThrow('not today')
    await expect(sandbox.spawn(['true'])).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
    await sandbox.start({ preparation: work })
    expect(work.times).toBe(1)
  })

  describe('whose kept files were damaged', () => {
    it.each<[string, (kept: string) => Promise<void>]>([
      ['by a cleaner that removed a file', (kept) => rm(join(kept, 'files/lib/b.txt'))],
      ['by a cleaner that removed all files', (kept) => rm(join(kept, 'files'), { recursive: true })],
      ['by a full disk, a file', (kept) => truncate(join(kept, 'files/lib/a.txt'))],
      ['by a full disk, the record', (kept) => truncate(join(kept, 'record.json'))],
    ])('is done again, and kept again: %s', async (_, damage) => {
      const home = await mkdtemp(join(tmpdir(), 'fenced-cache-'))
      onTestFinished(() => rm(home, { recursive: true, force: true }))
      vi.stubEnv('XDG_CACHE_HOME', home)
      onTestFinished(() => void vi.unstubAllEnvs())
      const work = newWork('mkdir lib; echo a > lib/a.txt; echo b > lib/b.txt')
      const start = async () => {
        await using sandbox = new LocalSandbox()
        await sandbox.start({ preparation: work })
        return await sh(sandbox, 'cat lib/a.txt lib/b.txt')
      }
      expect(await start()).toBe('a\nb')
      const prepared = join(home, 'fenced/prepared')
      const [kept = ''] = await readdir(prepared)
      await damage(join(prepared, kept))
      expect(await start()).toBe('a\nb')
      expect(await start()).toBe('a\nb')
      expect(work.times).toBe(2)
      expect(await readdir(prepared)).toEqual([kept])
    })
  })

  it('is done each time, with a notice, where nothing can be kept', async () => {
    const file = join(folder, 'no-directory')
    await writeFile(file, '')
    vi.stubEnv('XDG_CACHE_HOME', file)
    onTestFinished(() => void vi.unstubAllEnvs())
    const work = newWork('echo made > made')
    const notices: string[] = []
    for (let start = 0; start < 2; start++) {
      await using sandbox = new LocalSandbox()
      await sandbox.start({ preparation: work, onNotice: ({ code }) => notices.push(code) })
      expect(await readdir(sandbox.directory)).toEqual(['made'])
    }
    expect(work.times).toBe(2)
    expect(notices).toEqual(['preparation-not-kept', 'preparation-not-kept'])
  })

  it('ends what it has started before its files are kept', async () => {
    const work = newWork('')
    const prepare = async (place: ExecutorSandbox) => {
      await place.spawn(['/bin/sh', '-c', 'while :; do echo more >> growing; sleep 0.01; done'])
      await expect.poll(() => readdir(place.directory)).toEqual(['growing'])
    }
    await using sandbox = new LocalSandbox()
    await sandbox.start({ preparation: { ...work, prepare } })
    const before = await readFile(join(sandbox.directory, 'growing'), 'utf8')
    await promisify(execFile)('sleep', ['0.1'])
    expect(await readFile(join(sandbox.directory, 'growing'), 'utf8')).toBe(before)
  })
})
