import { createHash } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { LaunchContext } from '@fenced/sandbox'
import type { LifeLimits } from '@fenced/sandbox/internal'
import type { Cluster } from '../api/cluster.ts'
import { isDetached, isMadeFrom } from '../pod/labels.ts'
import { isRunning, podPath } from '../pod/pod.ts'
import type { Pod } from '../pod/pod-types.ts'
import { type KubernetesSandboxSettings, podOf } from './sandbox-options.ts'

type Detached = LaunchContext['detached']

/** How long a pod lives: one that outlives its process also ends although something runs in it. */
export function lifeOf(
  { maxLifetimeMs, idleTimeoutMs }: KubernetesSandboxSettings,
  detached: Detached,
): LifeLimits {
  if (detached === undefined) return { maxLifetimeMs, idleTimeoutMs }
  return { maxLifetimeMs, idleTimeoutMs: detached.expiresInMs, endsAlthoughBusy: true }
}

/** Stands for all options that are in a pod. Variables are not: each process brings its own. */
export function hashOf(settings: KubernetesSandboxSettings, detached: Detached): string {
  const { network, pids } = settings
  const parts = [podOf(settings), network, pids, lifeOf(settings, detached)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

interface FindOptions {
  readonly cluster: Cluster
  readonly namespace: string
  readonly signal: AbortSignal
}

/**
 * The pod that another process made and this one is to go on with.
 *
 * @param id - the `id` of its backend.
 * @throws FencedError `SANDBOX_GONE` when there is none (any more), `NOT_RESUMABLE` when it was made from other options.
 */
export async function findDetached(
  id: string,
  hash: string,
  { cluster, namespace, signal }: FindOptions,
): Promise<Pod> {
  const [of = '', name = '', uid = ''] = id.split('/')
  if (name === '' || uid === '') throw noneOf(id)
  if (of !== namespace) throw notMadeSo(id)
  const path = podPath(namespace, name)
  const pod = await cluster.find<Pod>({ method: 'GET', path, doing: 'looking for a pod', signal })
  if (pod === undefined || pod.metadata.uid !== uid || !isRunning(pod)) throw noneOf(id)
  const { labels, annotations } = pod.metadata
  if (!isDetached(labels) || !isMadeFrom(annotations, hash)) throw notMadeSo(id)
  return pod
}

function noneOf(id: string): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: `There is no pod ${id} that could be resumed: it has expired, or was stopped. Start without \`resume\` to have a new one.`,
  })
}

function notMadeSo(id: string): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message: `The pod ${id} was not made with these options and the same \`detached\`, so it is not resumed.`,
  })
}
