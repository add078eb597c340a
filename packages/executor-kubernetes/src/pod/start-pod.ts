import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { Cluster } from '../api/cluster.ts'
import { podPath, removePod } from './pod.ts'
import type { PodRequest } from './pod-request.ts'
import type { Pod } from './pod-types.ts'
import { whatItWaitsFor, whatStopsIt } from './start-trouble.ts'

/** Where a pod is made, and how long it may take. */
export interface StartPodParts {
  readonly cluster: Cluster
  readonly namespace: string
  readonly startTimeoutMs: number
}

/** How long the removal of a pod that did not start may take, in milliseconds. */
const removalLimitMs = 30_000

/**
 * Makes a pod and waits until it runs. When that fails, nothing of it is left.
 *
 * @throws FencedError, and the reason of the signal.
 */
export async function startPod(
  { cluster, namespace, startTimeoutMs }: StartPodParts,
  request: PodRequest,
  signal: AbortSignal,
): Promise<Pod> {
  const path = podPath(namespace, request.metadata.name)
  const limit = AbortSignal.timeout(startTimeoutMs)
  let latest: Pod | undefined
  try {
    await create(cluster, namespace, request, signal)
    const both = AbortSignal.any([signal, limit])
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
      latest = await cluster.ask<Pod>({ method: 'GET', path, doing: 'waiting for a pod', signal: both })
      if (latest.status?.containerStatuses?.[0]?.state?.running !== undefined) return latest
      const trouble = whatStopsIt(latest, request)
      if (trouble !== undefined) throw trouble
      await delay(pauseMs, undefined, { signal: both })
    }
  } catch (error) {
    // Also one whose making was cancelled: whether it is there, only the cluster knows.
    await removePod(cluster, path, undefined, AbortSignal.timeout(removalLimitMs)).catch(() => {})
    signal.throwIfAborted()
    throw limit.aborted ? tooLate(startTimeoutMs, latest, error) : error
  }
}

/** One that is cancelled is let run: only its answer tells whether there is a pod now. */
async function create(
  cluster: Cluster,
  namespace: string,
  body: PodRequest,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  await cluster.ask({
    method: 'POST',
    path,
    body,
    doing: 'making a pod',
    signal: new AbortController().signal,
  })
  signal.throwIfAborted()
}

function tooLate(startTimeoutMs: number, pod: Pod | undefined, cause: unknown): FencedError {
  const reason = whatItWaitsFor(pod)
  return new FencedError({
    code: 'POD_NOT_STARTED',
    message: `The pod did not start within ${startTimeoutMs / 1_000} seconds: ${reason}. Change the \`pod\` options, make room in the cluster, or raise \`startTimeoutMs\`.`,
    data: { reason, limitMs: String(startTimeoutMs), option: 'startTimeoutMs' },
    cause,
  })
}
