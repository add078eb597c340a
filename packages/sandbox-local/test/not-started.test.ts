// @module-tag all

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { describe, expect, it } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { useOwnHome } from './own-home.ts'
import { bubblewrap, unprivilegedUser } from './requirements.ts'

useOwnHome()

/** What the tests spoil. */
interface Paths {
  readonly directory: string
  readonly readable: string
}

const command = ['sh', '-c', 'echo hello'] as const

async function inBubblewrap<Result>(
  use: (sandbox: LocalSandbox, paths: Paths) => Promise<Result>,
  options: LocalSandboxOptions = {},
): Promise<Result> {
  const make = () => mkdtemp(join(tmpdir(), 'fenced-not-started-'))
  const paths = { directory: await make(), readable: await make() }
  const { directory, readable } = paths
  try {
    await using sandbox = new LocalSandbox({
      ...{ workDir: directory, readable: [readable], isolation: 'bubblewrap', ...options },
    })
    await sandbox.start()
    return await use(sandbox, paths)
  } finally {
    await chmod(directory, 0o700).catch(() => {})
    for (const path of Object.values(paths)) await rm(path, { recursive: true, force: true })
  }
}

const spoilings: readonly (readonly [what: string, spoil: (paths: Paths) => Promise<void>])[] = [
  ['cannot be entered', ({ directory }) => chmod(directory, 0)],
  ['was removed', ({ directory }) => rm(directory, { recursive: true })],
  ['is there, but a path of `readable` was removed', ({ readable }) => rm(readable, { recursive: true })],
]

describe.skipIf(bubblewrap.missing)('a program in bubblewrap', () => {
  it.each(spoilings)('has not started where its directory %s', async (_what, spoil) => {
    const ends = await inBubblewrap(async (sandbox, paths) => {
      await spoil(paths)
      const spawned = [{}, { stdin: 'open' }, { role: 'block' }, { reapsOrphans: true }] as const
      return Promise.all(spawned.map(async (each) => (await sandbox.spawn(command, each)).ended))
    })
    expect(ends.map(({ kind }) => kind)).toEqual(Array(4).fill('not-started'))
  })

  it('has not started, and the end quotes why', async () => {
    const { end, words } = await inBubblewrap(async (sandbox, { readable }) => {
      await rm(readable, { recursive: true })
      let words = ''
      const output = (_stream: string, chunk: Uint8Array) => {
        words += Buffer.from(chunk).toString()
      }
      return { end: await (await sandbox.spawn(command, { output })).ended, words: words.trim() }
    })
    expect(words).not.toBe('')
    expect(end).toMatchObject({ kind: 'not-started', data: { reason: words } })
  })

  it('has its own exit code, also where it says what bubblewrap says', async () => {
    const ends = await inBubblewrap(async (sandbox) => {
      const script = 'echo "bwrap: execvp sh: No such file or directory" >&2; exit "$0"'
      const codes = ['1', '125', '126', '127']
      return Promise.all(codes.map(async (code) => (await sandbox.spawn(['sh', '-c', script, code])).ended))
    })
    const exited = [1, 125, 126, 127].map((exitCode) => ({ kind: 'exited', exitCode, wasStopped: false }))
    expect(ends).toEqual(exited)
  })

  it.skipIf(unprivilegedUser.missing)(
    'of a block that made its directory unusable runs no more',
    async () => {
      const run = await inBubblewrap(async (sandbox) => {
        await using executor = new CommandLineCodeExecutor({ sandbox, warm: false })
        await executor.execute([{ language: 'sh', code: 'chmod 0 .' }])
        return await executor.execute([{ language: 'sh', code: 'echo hello' }])
      })
      expect(run).toMatchObject({ status: 'invalid', exitCode: 126 })
      expect(run.blocks).toMatchObject([{ stdout: '', notices: [{ code: 'not-started' }] }])
    },
  )
})
