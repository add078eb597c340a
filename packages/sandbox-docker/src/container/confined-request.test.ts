import { HostWorkDirectory } from '@fenced/core/driver'
import { expect, test } from 'vitest'
import type { ImageSettings } from '../image/image-options.ts'
import { installerRequest } from '../image/packages/installer-container.ts'
import type { ContainerPlan } from '../sandbox/container-plan.ts'
import { readSandboxOptions } from '../sandbox/sandbox-options.ts'
import { preparationRequest, sandboxRequest } from '../sandbox/sandbox-request.ts'

const settings = readSandboxOptions({ memoryBytes: 2 ** 26, cpus: 0.5, pids: 64 })
const plan = {
  settings,
  image: { id: 'sha256:image', config: { env: {} } },
  user: '1000:1000',
  workDirectory: new HostWorkDirectory({ path: '/work-directory' }),
} as unknown as ContainerPlan

test.for([
  { what: 'a sandbox', request: sandboxRequest(plan, 'bind') },
  { what: 'a preparation', request: preparationRequest(plan, 'preparation') },
  { what: 'an installation', request: installerRequest({ Id: 'sha256:image' }, settings as ImageSettings) },
])('the container of $what has limits, no capabilities beyond its own, and no log', ({ request }) => {
  expect(request.HostConfig).toMatchObject({
    ...{ Memory: 2 ** 26, MemorySwap: 2 ** 26, NanoCpus: 5e8, PidsLimit: 64 },
    ...{ CapDrop: ['ALL'], LogConfig: { Type: 'none', Config: {} }, AutoRemove: true },
  })
})

test.for([
  { what: 'a sandbox', request: sandboxRequest(plan, 'bind') },
  { what: 'a preparation', request: preparationRequest(plan, 'preparation') },
])('the container of $what runs no health check of its image, and gives no rights', ({ request }) => {
  expect(request.Healthcheck).toEqual({ Test: ['NONE'] })
  expect(request.HostConfig).toMatchObject({ CapAdd: [], SecurityOpt: ['no-new-privileges'], Init: true })
})
