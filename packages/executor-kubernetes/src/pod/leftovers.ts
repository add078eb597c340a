import type { StartContext } from '@fenced/core/driver'
import { isOwnerGone } from '@fenced/core/internal'
import type { Cluster } from '../api/cluster.ts'
import { isDetached, ownerOf, realmSelector } from './labels.ts'
import { podPath, removePod } from './pod.ts'
import type { Pod } from './pod-types.ts'

/** How long a start waits until they are gone, in milliseconds. */
const patienceMs = 5_000

/**
 * Removes the pods of processes that ended without removing them (SIGKILL, a crash), also those that have ended. Only those
 * that this user's processes made on this machine, and only if the process is gone. One that cannot be removed, or not soon,
 * stands in the way of nothing; its `activeDeadlineSeconds` ends it.
 */
export async function removeLeftovers(
  cluster: Cluster,
  namespace: string,
  { signal, notice }: StartContext,
): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  const query = { labelSelector: realmSelector() }
  const { items } = await cluster.ask<{ items: readonly Pod[] }>({
    ...{ method: 'GET', path, query, signal },
    doing: 'looking for pods that were left behind',
  })
  const left = items.filter(isLeft)
  if (left.length === 0) return
  const limit = AbortSignal.any([AbortSignal.timeout(patienceMs), signal])
  const removals = left.map(({ metadata: { name, uid } }) =>
    removePod(cluster, podPath(namespace, name), uid, limit),
  )
  const results = await Promise.allSettled(removals)
  signal.throwIfAborted()
  const removed = results.filter(({ status }) => status === 'fulfilled').length
  const remaining = left.length - removed
  if (removed > 0)
    notice({
      code: 'leftovers-removed',
      message: `Removed ${counted(removed)} left behind by a process that is gone.`,
    })
  if (remaining > 0)
    notice({
      code: 'leftovers-remain',
      message: `The cluster has not removed ${counted(remaining)} left behind by a process that is gone. The next start tries again.`,
    })
}

/** One that outlives its process is only left when it has ended. */
function isLeft({ metadata, status }: Pod): boolean {
  if (isDetached(metadata.labels)) return status?.phase === 'Succeeded' || status?.phase === 'Failed'
  return isOwnerGone(ownerOf(metadata.labels, metadata.annotations))
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'}`
}
