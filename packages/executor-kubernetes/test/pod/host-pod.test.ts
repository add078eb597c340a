import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { Cluster } from '../../src/api/cluster.ts'
import { hostPod } from '../../src/pod/host-pod.ts'
import { podOptionsSchema } from '../../src/pod/pod-options.ts'
import { podRequest } from '../../src/pod/pod-request.ts'
import { startPod } from '../../src/pod/start-pod.ts'
import { TestNamespace } from '../namespace.ts'
import { image, kubernetes, testCluster } from '../requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()
const name = namespace?.name ?? ''
const life = { maxLifetimeMs: 600_000, idleTimeoutMs: 0 }
const settings = podOptionsSchema.parse({ image, imagePullPolicy: 'IfNotPresent' })

/** The tests' cluster, as a program in a pod of the namespace finds it. */
async function clusterOfPod(): Promise<Cluster> {
  const cluster = await Cluster.find(testCluster)
  return Object.defineProperties(cluster, { isOfPod: { value: true }, namespace: { value: name } })
}

describe.skipIf(kubernetes.missing)('the pod in which a program runs', () => {
  afterAll(() => namespace?.remove())

  it('is found by its name and address, and what it owns goes with it', { timeout: 120_000 }, async () => {
    const cluster = await clusterOfPod()
    const parts = { cluster, namespace: name, startTimeoutMs: 100_000 }
    const signal = AbortSignal.timeout(100_000)
    const started = await startPod(parts, podRequest(settings, life), signal)
    const address = started.status?.podIP ?? ''
    const machine = { name: started.metadata.name, addresses: ['127.0.0.1', address] }
    const host = await hostPod(cluster, name, machine)
    expect(host).toMatchObject({ kind: 'Pod', name: started.metadata.name, uid: started.metadata.uid })
    expect(await hostPod(cluster, name, { ...machine, addresses: ['127.0.0.1'] })).toBe(undefined)
    expect(await hostPod(cluster, name, { ...machine, name: 'another' })).toBe(undefined)
    expect(await hostPod(cluster, 'default', machine)).toBe(undefined)
    expect(await hostPod(await Cluster.find(testCluster), name, machine)).toBe(undefined)
    const owned = await startPod(parts, podRequest(settings, life, { host }), signal)
    expect(await namespace?.pods()).toContain(owned.metadata.name)
    await namespace?.api.ask('DELETE', `/api/v1/namespaces/${name}/pods/${started.metadata.name}`)
    while ((await namespace?.pods())?.includes(owned.metadata.name)) await delay(200)
  })
})
