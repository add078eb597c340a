import type { BackendUnderTest } from '@fenced/contract'
import { Cluster } from '../src/api/cluster.ts'
import type { ClusterOptions } from '../src/api/cluster-options.ts'
import { RunningPod } from '../src/pod/pod.ts'
import { podOptionsSchema } from '../src/pod/pod-options.ts'
import { podRequest } from '../src/pod/pod-request.ts'
import { startPod } from '../src/pod/start-pod.ts'
import { image, testCluster } from './requirements.ts'

/** A pod as a place of the contract of backends, in the namespace that is behind the `?` of this module's own address. */
export async function create(): Promise<BackendUnderTest> {
  return placeIn(new URL(import.meta.url).search.slice(1))
}

export async function placeIn(
  namespace: string,
  of: ClusterOptions = testCluster,
): Promise<BackendUnderTest> {
  const cluster = await Cluster.find(of)
  const life = { maxLifetimeMs: 600_000, idleTimeoutMs: 0 }
  const request = podRequest(podOptionsSchema.parse({ image, imagePullPolicy: 'IfNotPresent' }), life)
  const parts = { cluster, namespace, startTimeoutMs: 120_000 }
  const { metadata } = await startPod(parts, request, AbortSignal.timeout(120_000))
  const { name, uid } = metadata
  const backend = new RunningPod({
    cluster,
    namespace,
    name,
    uid,
    env: {},
    processLimit: undefined,
    limits: {},
    user: undefined,
  })
  return { backend, directory: '/workspace' }
}
