import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'

const isLinux = process.platform === 'linux'

describe.skipIf(!isLinux)('a process that fled and cleared its environment', () => {
  it.each([
    ['writes without end', 'while :; do echo x; done'],
    ['writes now and then', 'while :; do echo x; sleep 0.1; done'],
  ])('and %s does not change how its program ended', async (_, loop) => {
    await using executor = new LocalCommandLineCodeExecutor({ timeoutMs: 60_000, warm: false })
    // It ends by itself when nobody reads any more: SIGPIPE.
    const code = `setsid env -i /bin/sh -c '${loop}' &\necho hi\nexit 3`
    const result = await executor.execute([{ language: 'sh', code }])
    expect(result).toMatchObject({ status: 'error', exitCode: 3 })
    expect(result.blocks[0]?.notices).toMatchObject([{ code: 'left-behind' }])
  })
})

describe.skipIf(!isLinux)('a stand-in for Python that does not answer', () => {
  it.each([
    ['sleeps', (seconds: number) => `exec sleep ${seconds}`],
    [
      'leaves a child that holds its output',
      (seconds: number) => `(exec sleep ${seconds}) & exec sleep ${seconds}`,
    ],
  ])('and %s holds up no stop', async (_, script) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-shim-'))
    const begun = join(directory, 'begun')
    for (const name of ['python3', 'python']) {
      await writeFile(
        join(directory, name),
        `#!/bin/sh\n: > '${begun}'\n${script(Number(uniqueSeconds()))}\n`,
      )
      await chmod(join(directory, name), 0o755)
    }
    vi.stubEnv('PATH', `${directory}:/usr/bin:/bin`)
    vi.stubEnv('VIRTUAL_ENV', '')
    try {
      const executor = new LocalCommandLineCodeExecutor({ timeoutMs: 500 })
      const execution = executor.execute([{ language: 'python', code: 'print(1)' }])
      await expect.poll(() => existsSync(begun)).toBe(true)
      const startedAt = performance.now()
      await executor.stop()
      expect((await execution).status).toBe('cancelled')
      expect(performance.now() - startedAt).toBeLessThan(30_000)
    } finally {
      vi.unstubAllEnvs()
      await rm(directory, { recursive: true })
    }
  })
})

describe.skipIf(!isLinux)('a host without free descriptors', () => {
  it.each(['cold', 'warm'])('says so, and loses none: %s', async (how) => {
    const program = new URL('programs/few-descriptors.ts', import.meta.url).pathname
    // A descriptor beyond the limit could not be replaced in a child.
    const close =
      'for f in /proc/$$/fd/*; do n=$(basename $f); [ $n -gt 63 ] && [ $n -ne 255 ] && eval "exec $n>&-"; done'
    const command = `${close}; ulimit -n 64; exec "$0" --conditions=@fenced/source "$1" "$2"`
    const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, program, how])
    expect(JSON.parse(stdout)).toEqual({
      ends: expect.not.arrayContaining(['died', 'timeout']),
      lost: 0,
      after: 'ok',
    })
  })
})
