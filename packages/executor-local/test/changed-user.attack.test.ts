import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

describe('a resident Python of an executor', () => {
  it.skipIf(python.missing || !isRootOnLinux)('runs no block with rights that its host gave up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-changed-user-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const secret = join(folder, 'secret')
    await writeFile(secret, 'for root only', { mode: 0o600 })
    const host = join(import.meta.dirname, 'programs/host-that-changes-user.ts')
    const command = ['--conditions=@fenced/source', host, folder, secret]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    const [first, read, , second, denied, , last] = stdout.split('\n')
    expect([first, read]).toEqual([expect.stringMatching(/^0 0 /), 'for root only'])
    expect([second, denied]).toEqual(['65534 65534 []', 'Permission denied'])
    expect(last).toBe('stopped')
  })

  it.skipIf(python.missing || !isRootOnLinux)(
    'keeps the rights of its session, and says so, until the executor is restarted',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'fenced-changed-user-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const secret = join(folder, 'secret')
      await writeFile(secret, 'for root only', { mode: 0o600 })
      const host = join(import.meta.dirname, 'programs/host-that-changes-user.ts')
      const command = ['--conditions=@fenced/source', host, folder, secret, 'none', 'stateful']
      const { stdout } = await promisify(execFile)(process.execPath, command)
      const lines = stdout.split('\n').filter((line) => line !== '')
      expect(lines).toEqual([
        ...[expect.stringMatching(/^0 0 /), 'for root only'],
        ...[expect.stringMatching(/^0 0 /), 'for root only', 'state-kept'],
        ...['65534 65534 []', 'Permission denied', 'stopped'],
      ])
    },
  )

  it.skipIf(bubblewrap.missing || !isRootOnLinux)(
    'is refused in bubblewrap until the executor is restarted',
    { tags: 'nightly' },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'fenced-changed-user-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const host = join(import.meta.dirname, 'programs/host-that-changes-user.ts')
      const command = ['--conditions=@fenced/source', host, folder, '/none', 'bubblewrap']
      const { stdout } = await promisify(execFile)(process.execPath, command)
      expect(stdout.split('\n').filter((line) => /^[A-Z_]+$|^stopped/.test(line))).toEqual([
        'ISOLATION_UNAVAILABLE',
        'stopped',
      ])
      expect(stdout.match(/^\d+ \d+ \[.*\]$/gm)?.at(-1)).toBe('65534 65534 []')
    },
  )

  it.skipIf(python.missing || process.platform !== 'linux').for(['none', 'bubblewrap'] as const)(
    'runs no block with an earlier umask of its host, with isolation %s',
    async (isolation, { skip }) => {
      skip(isolation === 'bubblewrap' && bubblewrap.missing, 'bubblewrap is missing')
      await using executor = new LocalCommandLineCodeExecutor({ isolation, warm: {} })
      const code = 'import os; print(oct(os.umask(0)))'
      const run = async () => (await executor.execute([{ language: 'python', code }])).output
      const before = await run()
      const umask = process.umask(0o077)
      try {
        expect([before, await run()]).toEqual([`0o${umask.toString(8)}\n`, '0o77\n'])
      } finally {
        process.umask(umask)
      }
    },
  )
})
