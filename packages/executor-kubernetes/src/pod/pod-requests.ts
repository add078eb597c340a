import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { isAnswer } from '../api/api-error.ts'
import type { Cluster } from '../api/cluster.ts'
import { hasEnded, objectSchema, type Pod } from './pod-types.ts'

export function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
}

export function isRunning(pod: Pod, container?: string): boolean {
  const { metadata, status } = pod
  const isThere = status?.phase === 'Running' && metadata.deletionTimestamp === undefined
  return isThere && !hasEnded(pod, container)
}

/** Ends a pod and waits until its node reports the end: after a forced removal a pod would keep running for a while. */
export function removePod(
  cluster: Cluster,
  path: string,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const removal = { path, uid, doing: 'removing a pod', deletion: { gracePeriodSeconds: 1 } }
  return removeObject(cluster, removal, signal)
}

interface ObjectRemoval {
  readonly path: string
  readonly uid: string | undefined
  readonly doing: string
  /** Options of the deletion (Kubernetes API, `DeleteOptions`). */
  readonly deletion: object
}

/** Removes an object and waits until it is gone. @returns whether it was there. */
export async function removeObject(
  cluster: Cluster,
  { path, uid, doing, deletion }: ObjectRemoval,
  signal: AbortSignal,
): Promise<boolean> {
  const body = { ...deletion, ...(uid === undefined ? {} : { preconditions: { uid } }) }
  try {
    const found = await cluster.find({ method: 'DELETE', path, body, doing, signal })
    if (found === undefined) return false
  } catch (error) {
    // A different object of the same name is a conflict.
    if (FencedError.isInstance(error) && isAnswer(error.cause, 409)) return false
    throw error
  }
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const object = await cluster.find({ method: 'GET', path, doing, signal, answer: objectSchema })
    if (object === undefined || (uid !== undefined && object.metadata.uid !== uid)) return true
    await delay(pauseMs, undefined, { signal })
  }
}
