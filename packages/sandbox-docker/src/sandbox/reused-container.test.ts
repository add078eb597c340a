import { HostWorkDirectory } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import type { FoundContainer } from '../engine.ts'
import type { ContainerPlan } from './container-plan.ts'
import { findKept } from './reused-container.ts'
import { readSandboxOptions } from './sandbox-options.ts'

// Pure: an engine whose container is paused may not answer about it for minutes (Docker 20.10).
it('a kept container is not used while it is paused, and the error names how to resume it', async () => {
  const found: Partial<FoundContainer> = {
    ...{ name: 'kept', isRunning: true, isPaused: true },
    isMadeFrom: () => true,
  }
  const plan = {
    settings: readSandboxOptions({ containerName: 'kept', stopContainer: false, workDir: '/kept' }),
    image: { id: 'sha256:image', config: { env: {} } },
    modes: ['bind'],
    workDirectory: new HostWorkDirectory({ path: '/kept' }),
    engine: { findContainer: async () => found },
  } as unknown as ContainerPlan
  await expect(findKept(plan, new AbortController().signal)).rejects.toMatchObject({
    code: 'CONTAINER_UNUSABLE',
    data: { container: 'kept', command: 'docker unpause kept' },
  })
})
