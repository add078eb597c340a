import { randomBytes } from 'node:crypto'
import type { BackendUnderTest } from '@fenced/contract'
import { Engine } from '@fenced/sandbox-docker'

/** A container as a place of the contract of backends. */
export async function backendOn(engine: Engine): Promise<BackendUnderTest> {
  const request = {
    name: `fenced-test-backend-${randomBytes(6).toString('hex')}`,
    Image: 'fenced-test/busybox',
    Cmd: ['sleep', '600'],
    HostConfig: { Init: true, AutoRemove: true, NetworkMode: 'none' },
  }
  const backend = await engine.startContainer(request, { signal: AbortSignal.timeout(60_000) })
  return { backend, directory: '/tmp' }
}

/** The same on the engine whose address is behind the `?` of this module's own, else on Docker. */
export async function create(): Promise<BackendUnderTest> {
  return backendOn(await Engine.connect(new URL(import.meta.url).search.slice(1) || undefined))
}
