import { createHash } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { LaunchContext } from '@fenced/sandbox'
import type { LifeLimits } from '@fenced/sandbox/driver'
import type { Cluster } from '../api/cluster.ts'
import { type ClaimedPod, claimSchema, claimsPath, podOfClaim } from '../pod/claim.ts'
import { isDetached, isMadeFrom } from '../pod/labels.ts'
import { isRunning, podPath } from '../pod/pod-requests.ts'
import { codeContainerOf, type Pod, podSchema } from '../pod/pod-types.ts'
import { type KubernetesSandboxSettings, podOf } from './sandbox-options.ts'

type Detached = LaunchContext['detached']

/** Lifetime of a pod. A pod that outlives its process also ends while processes run in it. */
export function lifeOf(
  { maxLifetimeMs, idleTimeoutMs }: KubernetesSandboxSettings,
  detached: Detached,
): LifeLimits {
  if (detached === undefined) return { maxLifetimeMs, idleTimeoutMs }
  return { maxLifetimeMs, idleTimeoutMs: detached.expiresInMs, endsAlthoughBusy: true }
}

/** A hash of all options of a pod, and of its first command. It excludes variables, which each process sets. */
export function hashOf(settings: KubernetesSandboxSettings, detached: Detached): string {
  const { network, pids, claim, initCommand } = settings
  const parts = [claim ?? podOf(settings), network, pids, lifeOf(settings, detached), initCommand]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

interface FindOptions {
  readonly cluster: Cluster
  readonly namespace: string
  readonly signal: AbortSignal
}

/**
 * Returns the pod of another process that this process resumes.
 *
 * @param id - the `id` of its backend.
 * @throws FencedError `SANDBOX_GONE` when it no longer exists, `NOT_RESUMABLE` when it was made from other options.
 */
export async function findDetached(
  id: string,
  hash: string,
  { cluster, namespace, signal }: FindOptions,
): Promise<Pod> {
  const { name, uid } = partsOf(id, namespace)
  const path = podPath(namespace, name)
  const pod = await cluster.find({
    ...{ method: 'GET', path, doing: 'looking for a pod', signal },
    answer: podSchema,
  })
  if (pod === undefined || pod.metadata.uid !== uid || !isRunning(pod)) throw noneOf(id)
  requireSame(id, pod, hash)
  return pod
}

/** The same for a claim and the pod that it has. */
export async function findDetachedClaim(
  id: string,
  hash: string,
  { cluster, namespace, signal }: FindOptions,
): Promise<ClaimedPod> {
  const { name, uid } = partsOf(id, namespace)
  const path = `${claimsPath(namespace)}/${encodeURIComponent(name)}`
  const claim = await cluster.find({
    ...{ method: 'GET', path, doing: 'looking for a claim', signal },
    answer: claimSchema,
  })
  if (claim === undefined || claim.metadata.uid !== uid || claim.metadata.deletionTimestamp !== undefined)
    throw noneOf(id)
  requireSame(id, claim, hash)
  const pod = await podOfClaim(claim, { cluster, namespace, signal })
  if (pod === undefined || !isRunning(pod, codeContainerOf(pod)?.name)) throw noneOf(id)
  return { claim, pod }
}

function partsOf(id: string, namespace: string): { readonly name: string; readonly uid: string } {
  const [of = '', name = '', uid = ''] = id.split('/')
  if (name === '' || uid === '') throw noneOf(id)
  if (of !== namespace) throw notMadeSo(id)
  return { name, uid }
}

function requireSame(id: string, { metadata }: Pick<Pod, 'metadata'>, hash: string): void {
  if (!isDetached(metadata.labels) || !isMadeFrom(metadata.annotations, hash)) throw notMadeSo(id)
}

function noneOf(id: string): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: `The pod ${id} cannot be resumed: it has expired or was stopped. Start without \`resume\` to get a new pod.`,
    data: { pod: id },
  })
}

function notMadeSo(id: string): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message: `The pod ${id} was created with other options or a different \`detached\`, so it cannot be resumed.`,
    data: { pod: id },
  })
}
