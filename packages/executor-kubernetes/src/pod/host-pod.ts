import { hostname, networkInterfaces } from 'node:os'
import type { Cluster } from '../api/cluster.ts'
import { podPath } from './pod-requests.ts'
import { podSchema } from './pod-types.ts'

/** The pod in which this program runs, as the owner of others (Kubernetes API, `OwnerReference`): the cluster removes them after it. */
export interface HostPod {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly name: string
  readonly uid: string
}

/** What this machine is called, and its addresses. */
interface Machine {
  readonly name: string
  readonly addresses: readonly string[]
}

/** How long the question may take, in milliseconds. */
const limitMs = 5_000

/**
 * The pod in which this program runs, if it is one of this namespace and of this cluster. `undefined` where that is not certain: pods that
 * have the wrong owner would be removed with it.
 */
export async function hostPod(
  cluster: Cluster,
  namespace: string,
  { name, addresses }: Machine = thisMachine(),
): Promise<HostPod | undefined> {
  if (!cluster.isOfPod || namespace !== cluster.namespace) return undefined
  const signal = AbortSignal.timeout(limitMs)
  const path = podPath(namespace, name)
  const pod = await cluster
    .find({
      ...{ method: 'GET', path, doing: 'looking for the pod of this program', signal },
      answer: podSchema,
    })
    .catch(() => undefined)
  if (pod === undefined || !addresses.includes(pod.status?.podIP ?? '')) return undefined
  return { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid }
}

function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap(
    (of) => of?.map(({ address }) => address) ?? [],
  )
  return { name: hostname(), addresses }
}
