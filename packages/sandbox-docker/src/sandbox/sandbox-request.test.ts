import { HostWorkDirectory } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import { hashOfRequest } from '../container/container-request.ts'
import type { ContainerPlan } from './container-plan.ts'
import { type DockerSandboxOptions, readSandboxOptions } from './sandbox-options.ts'
import { sandboxRequest } from './sandbox-request.ts'

const workDirectory = new HostWorkDirectory({ path: '/work-directory' })
const image = { id: 'sha256:image', config: { env: {} } }

/** Names the containers that may be used again by a sandbox with these options. */
function nameOf(options: DockerSandboxOptions): string {
  const settings = readSandboxOptions({ containerName: 'kept', ...options })
  const plan = { settings, image, user: '1000:1000', workDirectory } as unknown as ContainerPlan
  return hashOfRequest(sandboxRequest(plan, 'bind'))
}

it('a container is used again with the same `initCommand` only', () => {
  const [first, second] = [{ initCommand: 'touch first' }, { initCommand: 'touch second' }]
  expect(nameOf(first)).toBe(nameOf(first))
  expect(new Set([nameOf({}), nameOf(first), nameOf(second)]).size).toBe(3)
})
