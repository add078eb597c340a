// @module-tag all

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureOutput } from '@fenced/host'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SystemdScopes } from '../src/isolation/systemd-scopes.ts'

/** Runs the command of a scope, and no scope around it. */
const withoutScope = (version: number) => `#!/bin/sh
[ "$1" = --version ] && echo 'systemd ${version} (${version})' && exit
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`

/** Scopes of a systemd of a version. */
async function scopesOf(
  limits: Parameters<typeof SystemdScopes.find>[0],
  version = 255,
): Promise<SystemdScopes> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-systemd-'))
  await writeFile(join(folder, 'systemd-run'), withoutScope(version), { mode: 0o755 })
  vi.stubEnv('PATH', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    return rm(folder, { recursive: true })
  })
  const scopes = await SystemdScopes.find(limits)
  return typeof scopes === 'string' ? expect.fail(scopes) : scopes
}

describe.runIf(process.platform === 'linux')('a scope of systemd', () => {
  it.each([
    [{ memoryBytes: 100_000_000 }, ['--property=MemoryMax=99942400', '--property=MemorySwapMax=0']],
    [{ pids: 50 }, ['--property=TasksMax=50']],
    [{ cpus: 0.254 }, ['--property=CPUQuota=25%']],
  ])('is asked to hold %j, and a command does not run where it does not', async (limits, properties) => {
    const scopes = await scopesOf(limits)
    const { command } = scopes.wrap(['/bin/sh', '-c', 'echo ran'])
    expect(command).toEqual(expect.arrayContaining(properties))
    const { exitCode, stdout } = await captureOutput(command, { env: process.env, timeoutMs: 10_000 })
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: '' })
  })

  it('leaves a `$` in a command alone, also where systemd would expand it', async () => {
    const option = '--expand-environment=no'
    for (const [version, has] of [
      [253, false],
      [254, true],
    ] as const)
      expect((await scopesOf({ pids: 50 }, version)).wrap(['true']).command.includes(option)).toBe(has)
  })

  it('has no limit that was not asked for', async () => {
    const { command } = (await scopesOf({ pids: 50 })).wrap(['true'])
    expect(command.filter((word) => word.startsWith('--property='))).toEqual(['--property=TasksMax=50'])
  })
})
