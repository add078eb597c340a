import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureOutput } from '@fenced/host'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SystemdScopes } from '../src/isolation/systemd-scopes.ts'

/** Runs the command of a scope, and no scope around it. */
const withoutScope = `#!/bin/sh
[ "$1" = --version ] && echo 'systemd 255 (255)' && exit
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`

describe.runIf(process.platform === 'linux')('a scope of systemd', () => {
  it.each([
    [{ memoryBytes: 100_000_000 }, ['--property=MemoryMax=99942400', '--property=MemorySwapMax=0']],
    [{ pids: 50 }, ['--property=TasksMax=50']],
    [{ cpus: 0.254 }, ['--property=CPUQuota=25%']],
  ])('is asked to hold %j, and a command does not run where it does not', async (limits, properties) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fenced-systemd-'))
    await writeFile(join(folder.path, 'systemd-run'), withoutScope)
    await chmod(join(folder.path, 'systemd-run'), 0o755)
    vi.stubEnv('PATH', folder.path)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const scopes = await SystemdScopes.find(limits)
    if (typeof scopes === 'string') throw new Error(scopes)
    const { command } = scopes.wrap(['/bin/sh', '-c', 'echo ran'])
    expect(command).toEqual(expect.arrayContaining(properties))
    const { exitCode, stdout } = await captureOutput(command, { env: process.env, timeoutMs: 10_000 })
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: '' })
  })
})
