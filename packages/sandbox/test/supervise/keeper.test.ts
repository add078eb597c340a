// @module-tag all

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepAliveCommand, type LifeLimits } from '../../src/supervise/keep-alive.ts'
import { ContainedBackend, namespaces } from '../contained-backend.ts'
import { localSandbox } from '../local-sandbox.ts'

async function kept(limits: LifeLimits): Promise<ContainedBackend> {
  return ContainedBackend.start({
    directory: await mkdtemp(join(tmpdir(), 'fenced-kept-')),
    hasNetwork: false,
    signal: new AbortController().signal,
    keeper: ['/bin/sh', '-c', 'echo; exec "$@"', 'sh', ...keepAliveCommand(limits)],
  })
}

describe.skipIf(namespaces.missing).concurrent('a sandbox that keeps itself', () => {
  it('ends after its lifetime', async () => {
    const backend = await kept({ maxLifetimeMs: 1_000, idleTimeoutMs: 0 })
    await backend.ended()
    await backend.remove()
  })

  it('ends when it was idle, and not while a block runs', async () => {
    const backend = await kept({ maxLifetimeMs: 0, idleTimeoutMs: 4_000 })
    const { sandbox } = localSandbox({
      launch: async () => ({ id: 'kept', backend, isMounted: true, startsAhead: false, isExclusive: true }),
    })
    await sandbox.start()
    const block = await sandbox.spawn(['sleep', '6'], { role: 'block' })
    expect(await block.ended).toMatchObject({ kind: 'exited', exitCode: 0 })
    await backend.ended()
    await sandbox.stop()
  })
})
