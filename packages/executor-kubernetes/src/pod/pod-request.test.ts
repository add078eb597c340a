import { describe, expect, it } from 'vitest'
import type { PodEnd } from './labels.ts'
import { type PodOptions, podOptionsSchema } from './pod-options.ts'
import { podRequest } from './pod-request.ts'

const life = { maxLifetimeMs: 0, idleTimeoutMs: 0 }

function specOf(options: PodOptions) {
  return podRequest(podOptionsSchema.parse({ user: 1_000, ...options }), life).spec
}

const none = { cpu: undefined, memory: undefined, 'ephemeral-storage': undefined }

describe('the limits of a pod', () => {
  it.each<PodOptions>([
    { resources: undefined },
    { resources: { limits: undefined, requests: undefined } },
    { resources: { limits: none, requests: none } },
  ])('are the defaults where they are undefined: %j', (options) => {
    expect(specOf(options)).toEqual(specOf({}))
    expect(specOf(options).containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '2Gi', 'ephemeral-storage': '2Gi' },
      requests: { cpu: '100m', memory: '128Mi', 'ephemeral-storage': '64Mi' },
    })
  })

  it('are those of the options, each for itself', () => {
    const { containers, volumes } = specOf({
      resources: { limits: { memory: '64Mi', 'ephemeral-storage': '1Gi' }, requests: { memory: '32Mi' } },
    })
    expect(containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '64Mi', 'ephemeral-storage': '1Gi' },
      requests: { cpu: '100m', memory: '32Mi', 'ephemeral-storage': '64Mi' },
    })
    expect(volumes.map(({ emptyDir }) => emptyDir.sizeLimit)).toEqual(['1Gi', '1Gi', '1Gi'])
  })
})

describe('the owner of a pod', () => {
  const host = { apiVersion: 'v1', kind: 'Pod', name: 'host', uid: '1' } as const
  const metadataOf = (end: PodEnd) => podRequest(podOptionsSchema.parse({}), life, end).metadata

  it('is the pod of this program, except for a pod that outlives it', () => {
    expect(metadataOf({ host })).toMatchObject({ ownerReferences: [host] })
    expect(metadataOf({ host, hash: 'h' })).not.toHaveProperty('ownerReferences')
    expect(metadataOf({})).not.toHaveProperty('ownerReferences')
  })
})
