import { FencedError, type FencedErrorCode } from '@fenced/core'
import type { PodRequest } from './pod-request.ts'
import type { Pod } from './pod-types.ts'

type Trouble = readonly [reason: RegExp, code: FencedErrorCode, next: string]

/** Why a container that waits never starts. `ErrImagePull` alone may pass. */
const waiting: readonly Trouble[] = [
  [
    /^(InvalidImageName|ErrImageNeverPull)$/,
    'IMAGE_NOT_FOUND',
    'Check `pod.image`, and whether its node has it where `imagePullPolicy` is Never.',
  ],
  [
    /^ImagePullBackOff$/,
    'PULL_FAILED',
    'Check `pod.image`, and for a registry with a login `pod.imagePullSecrets`.',
  ],
  [/^CreateContainer(Config)?Error$/, 'CONTAINER_UNUSABLE', 'Check the `pod` options.'],
]

/** Why a pod that was made will not start; `undefined` while it may. */
export function whatStopsIt({ metadata, status }: Pod, { spec }: PodRequest): FencedError | undefined {
  const state = status?.containerStatuses?.[0]?.state
  const { reason = '', message = '' } = state?.waiting ?? {}
  const known = waiting.find(([pattern]) => pattern.test(reason))
  const [container] = spec.containers
  if (known !== undefined) {
    const [, code, next] = known
    return trouble(code, `The image ${container?.image} could not be used (${reason}): ${message}`, next)
  }
  if (state?.terminated !== undefined) {
    const { reason = '', message = '', exitCode } = state.terminated
    const words = `${reason}${message === '' ? '' : `: ${message}`} (exit code ${exitCode})`
    const isShell = /\/bin\/sh.*(no such file|not found|executable file)/is.test(message)
    return isShell
      ? trouble(
          'IMAGE_WITHOUT_SHELL',
          'The image has no /bin/sh, which every pod needs here',
          'Choose another `image`.',
        )
      : trouble(
          'CONTAINER_UNUSABLE',
          `The pod ended as soon as it was started: ${words}`,
          'Check the `pod` options.',
        )
  }
  if (status?.phase === 'Failed')
    return trouble(
      'POD_REFUSED',
      `The node refused the pod (${status.reason}): ${status.message}`,
      'Check the `pod` options, or make room on the nodes.',
    )
  if (metadata.deletionTimestamp === undefined) return undefined
  return trouble('SANDBOX_GONE', 'The pod was removed before it had started', 'Start again.')
}

/** In the words of the cluster, as far as they are known. */
export function whatItWaitsFor(pod: Pod | undefined): string {
  const { conditions = [], containerStatuses = [] } = pod?.status ?? {}
  const { reason = '', message = '' } =
    containerStatuses[0]?.state?.waiting ?? conditions.find(({ status }) => status === 'False') ?? {}
  return [reason, message].filter(Boolean).join(': ') || 'the cluster does not say why'
}

function trouble(code: FencedErrorCode, words: string, next: string): FencedError {
  return new FencedError({ code, message: `${words.trim().replace(/[.:]$/, '')}. ${next}` })
}
