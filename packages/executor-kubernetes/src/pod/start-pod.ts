import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { untilAborted } from '@fenced/shared'
import type { Cluster } from '../api/cluster.ts'
import type { PodRequest } from './pod-request.ts'
import { podPath, removePod } from './pod-requests.ts'
import { type Pod, podSchema, statusOf } from './pod-types.ts'
import { fatalPullError, type PullFailure, pullError, pullFailure } from './pull-failure.ts'
import { removeNowOrLater } from './remove-later.ts'
import { fatalStartError, pendingReason } from './start-problem.ts'

/** Where a pod is made, and how long it may take. */
export interface StartPodParts {
  readonly cluster: Cluster
  readonly namespace: string
  readonly startTimeoutMs: number
}

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
  signal.throwIfAborted()
  const path = podPath(namespace, request.metadata.name)
  const limit = AbortSignal.timeout(startTimeoutMs)
  const making = create(cluster, namespace, request)
  let latest: Pod | undefined
  let pull: PullFailure | undefined
  try {
    // The request is not cancelled: only its answer shows whether a pod was created.
    await untilAborted(making, signal)
    const both = AbortSignal.any([signal, limit])
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
      latest = await cluster.ask({
        ...{ method: 'GET', path, doing: 'waiting for a pod', signal: both },
        answer: podSchema,
      })
      if (statusOf(latest)?.state?.running !== undefined) return latest
      pull = pullFailure(latest, pull)
      const trouble = fatalStartError(latest, request) ?? fatalPullError(pull, request)
      if (trouble !== undefined) throw trouble
      await delay(pauseMs, undefined, { signal: both })
    }
  } catch (error) {
    const remove = (removal: AbortSignal) => removePod(cluster, path, undefined, removal)
    await removeNowOrLater({ remove, making, signal })
    signal.throwIfAborted()
    if (!limit.aborted) throw error
    throw pull === undefined
      ? tooLate(startTimeoutMs, latest, error)
      : pullError(pull, request, startTimeoutMs)
  }
}

async function create(cluster: Cluster, namespace: string, body: PodRequest): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  const { signal } = new AbortController()
  await cluster.ask({ method: 'POST', path, body, doing: 'creating a pod', signal })
}

function tooLate(startTimeoutMs: number, pod: Pod | undefined, cause: unknown): FencedError {
  const reason = pendingReason(pod)
  return new FencedError({
    code: 'POD_NOT_STARTED',
    message: `The pod did not start within ${startTimeoutMs / 1_000} seconds: ${reason}. Change the \`pod\` options, free up capacity in the cluster, or raise \`startTimeoutMs\`.`,
    data: { reason, limitMs: String(startTimeoutMs), option: 'startTimeoutMs' },
    cause,
  })
}
