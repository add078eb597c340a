import type { FencedError } from '@fenced/core'
import type { PodRequest } from './pod-request.ts'
import { type Pod, statusOf } from './pod-types.ts'
import { startProblem } from './start-problem.ts'

/** Why an image was not pulled yet. The node tries again, after longer and longer pauses. */
export interface PullFailure {
  readonly reason: string
  /** Of the registry, or of what is on the way to it. */
  readonly message: string
}

/** What another attempt does not change: the registry has no such image, or does not give it to us. */
const lasting = /not found|manifest unknown|does not exist|access denied|unauthorized|requested access/i

/**
 * What keeps a pod from its image at the moment.
 *
 * @param before - what did when it was looked at last: only the attempt itself, and not each pause, has the words of the registry.
 */
export function pullFailure(pod: Pod, before: PullFailure | undefined): PullFailure | undefined {
  const { reason = '', message = '' } = statusOf(pod)?.state?.waiting ?? {}
  if (reason !== 'ErrImagePull' && reason !== 'ImagePullBackOff') return undefined
  return reason === 'ErrImagePull' || before === undefined || message.includes('ErrImagePull')
    ? { reason, message }
    : { reason, message: before.message }
}

/** The error for an image that no further attempt would pull. */
export function fatalPullError(
  failure: PullFailure | undefined,
  request: PodRequest,
): FencedError | undefined {
  // Its name may have any words in it.
  const words = failure?.message.replaceAll(imageOf(request), '') ?? ''
  return failure !== undefined && lasting.test(words) ? pullError(failure, request) : undefined
}

/** @param limitMs - time in which the image was not pulled; absent where no further attempt would pull it. */
export function pullError(
  { reason, message }: PullFailure,
  request: PodRequest,
  limitMs?: number,
): FencedError {
  const image = imageOf(request)
  const late = limitMs === undefined ? '' : ` within ${limitMs / 1_000} seconds`
  const longer = limitMs === undefined ? '' : ' For a slow registry, raise `startTimeoutMs`.'
  return startProblem({
    code: 'PULL_FAILED',
    words: `The image ${image} could not be pulled${late} (${reason}): ${message}`,
    data: {
      ...{ image, reason, message, option: 'pod.image, pod.imagePullSecrets' },
      ...(limitMs === undefined ? {} : { limitMs: String(limitMs) }),
    },
    next: `Check \`pod.image\`, and for a registry with a login \`pod.imagePullSecrets\`.${longer}`,
  })
}

function imageOf({ spec }: PodRequest): string {
  return String(spec.containers[0]?.image)
}
