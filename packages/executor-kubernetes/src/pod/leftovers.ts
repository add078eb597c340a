import type { StartContext } from '@fenced/core/driver'
import type { z } from '@fenced/core/zod'
import { isOwnerGone } from '@fenced/shared'
import type { Cluster } from '../api/cluster.ts'
import { claimSchema, claimsPath, removeClaim } from './claim.ts'
import { isDetached, ownerOf, realmSelector } from './labels.ts'
import { podPath, removePod } from './pod-requests.ts'
import { hasEnded, type Pod, podSchema } from './pod-types.ts'

/** How long a start waits until they are gone, in milliseconds. */
const patienceMs = 5_000

/**
 * Removes the pods of processes that ended without removing them (SIGKILL, a crash), also those that have ended. Only those
 * that this user's processes made on this machine, and only if the process is gone. A pod that cannot be removed, or not soon,
 * does not delay the start; its `activeDeadlineSeconds` ends it.
 */
export function removeLeftovers(cluster: Cluster, namespace: string, context: StartContext): Promise<void> {
  return removeLeft(cluster, context, {
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
    doing: 'looking for pods that were left behind',
    answer: podSchema,
    isLeft,
    remove: ({ name, uid }, limit) => removePod(cluster, podPath(namespace, name), uid, limit),
  })
}

/** The same for claims. A claim that outlives its process ends by its `shutdownTime`. */
export function removeLeftClaims(cluster: Cluster, namespace: string, context: StartContext): Promise<void> {
  const path = claimsPath(namespace)
  return removeLeft(cluster, context, {
    ...{ path, doing: 'looking for claims that were left behind', answer: claimSchema },
    isLeft: ({ metadata: { labels, annotations } }) =>
      !isDetached(labels) && isOwnerGone(ownerOf(labels, annotations)),
    remove: ({ name, uid }, limit) => removeClaim(cluster, `${path}/${name}`, limit, uid),
  })
}

/** Objects that a process may have left. */
interface Kind<Item extends Pick<Pod, 'metadata'>> {
  readonly path: string
  readonly doing: string
  readonly answer: z.ZodType<Item>
  isLeft(item: Item): boolean
  remove(metadata: Pod['metadata'], limit: AbortSignal): Promise<unknown>
}

async function removeLeft<Item extends Pick<Pod, 'metadata'>>(
  cluster: Cluster,
  { signal, notice }: StartContext,
  { path, doing, answer, isLeft, remove }: Kind<Item>,
): Promise<void> {
  const query = { labelSelector: realmSelector() }
  // Where there are no claims at all, the claim that is made says so.
  const found = await cluster.findList({ path, query, signal, doing, answer })
  const left = (found ?? []).filter(isLeft)
  if (left.length === 0) return
  const limit = AbortSignal.any([AbortSignal.timeout(patienceMs), signal])
  const results = await Promise.allSettled(left.map(({ metadata }) => remove(metadata, limit)))
  signal.throwIfAborted()
  const removed = results.filter(({ status }) => status === 'fulfilled').length
  const remaining = left.length - removed
  if (removed > 0)
    notice({
      code: 'leftovers-removed',
      message: `Removed ${counted(removed)} left by a process that has ended.`,
      data: { count: String(removed) },
    })
  if (remaining > 0)
    notice({
      code: 'leftovers-remain',
      message: `The cluster has not removed ${counted(remaining)} left by a process that has ended. The next start tries again.`,
      data: { count: String(remaining) },
    })
}

/** A pod that outlives its process is left over only after its end. */
function isLeft(pod: Pod): boolean {
  const { metadata } = pod
  if (isDetached(metadata.labels)) return hasEnded(pod)
  return isOwnerGone(ownerOf(metadata.labels, metadata.annotations))
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'}`
}
