import { expect, it } from 'vitest'
import { hashOf } from './detached-pod.ts'
import { type KubernetesSandboxOptions, readSandboxOptions } from './sandbox-options.ts'

/** Names the pods that another process with these options may resume. */
function nameOf(options: KubernetesSandboxOptions): string {
  return hashOf(readSandboxOptions(options), { expiresInMs: 60_000 })
}

it('a pod is resumed with the same `initCommand` only', () => {
  const [first, second] = [{ initCommand: 'touch first' }, { initCommand: 'touch second' }]
  expect(nameOf(first)).toBe(nameOf(first))
  expect(new Set([nameOf({}), nameOf(first), nameOf(second)]).size).toBe(3)
})
