import { FencedError, type FencedErrorCode } from '@fenced/core'
import { reasonIn } from '@fenced/errors'
import type { PodRequest } from './pod-request.ts'
import { type Pod, statusOf } from './pod-types.ts'

type Waiting = readonly [reason: RegExp, code: FencedErrorCode, next: string, option: string]

/** Why a container that waits never starts. The pull of an image may pass: see `pull-failure.ts`. */
const waiting: readonly Waiting[] = [
  [
    /^(InvalidImageName|ErrImageNeverPull)$/,
    'IMAGE_NOT_FOUND',
    'Check `pod.image`, and whether its node has it where `imagePullPolicy` is Never.',
    'pod.image',
  ],
  [/^CreateContainer(Config)?Error$/, 'CONTAINER_UNUSABLE', 'Check the `pod` options.', 'pod'],
]

/** Why a pod that was made will not start; `undefined` while it may. */
export function fatalStartError(pod: Pod, { spec }: PodRequest): FencedError | undefined {
  const { metadata, status } = pod
  const state = statusOf(pod)?.state
  const { reason = '', message = '' } = state?.waiting ?? {}
  const known = waiting.find(([pattern]) => pattern.test(reason))
  const [container] = spec.containers
  if (known !== undefined) {
    const [, code, next, option] = known
    return startProblem({
      code,
      words: `The image ${container?.image} could not be used (${reason}): ${message}`,
      data: { image: String(container?.image), reason, message, option },
      next,
    })
  }
  if (state?.terminated !== undefined) {
    const { reason = '', message = '', exitCode } = state.terminated
    const words = `${reason}${message === '' ? '' : `: ${message}`} (exit code ${exitCode})`
    const isShell = /\/bin\/sh.*(no such file|not found|executable file)/is.test(message)
    return isShell
      ? startProblem({
          code: 'IMAGE_WITHOUT_SHELL',
          words: 'The image has no /bin/sh, which every pod needs here',
          data: { option: 'image' },
          next: 'Choose another `image`.',
        })
      : startProblem({
          code: 'CONTAINER_UNUSABLE',
          words: `The pod ended as soon as it was started: ${words}`,
          data: { reason, message, exitCode: String(exitCode), option: 'pod' },
          next: 'Check the `pod` options.',
        })
  }
  if (status?.phase === 'Failed')
    return startProblem({
      code: 'POD_REFUSED',
      words: `The node refused the pod (${status.reason}): ${status.message}`,
      data: { reason: String(status.reason), message: String(status.message), option: 'pod' },
      next: 'Check the `pod` options, or free up capacity on the nodes.',
    })
  if (metadata.deletionTimestamp === undefined) return undefined
  const words = 'The pod was removed before it had started'
  return startProblem({ code: 'SANDBOX_GONE', words, next: 'Start again.' })
}

/** Returns what the pod waits for, in the words of the cluster. */
export function pendingReason(pod: Pod | undefined): string {
  const { conditions = [] } = pod?.status ?? {}
  const { reason = '', message = '' } =
    (pod && statusOf(pod))?.state?.waiting ?? conditions.find(({ status }) => status === 'False') ?? {}
  return [reason, message].filter(Boolean).join(': ') || 'the cluster does not say why'
}

interface StartProblem {
  readonly code: FencedErrorCode
  readonly words: string
  /** The values in `words`, by name. */
  readonly data?: Readonly<Record<string, string>>
  readonly next: string
}

export function startProblem({ code, words, data, next }: StartProblem): FencedError {
  const message = `${reasonIn(words)}. ${next}`
  return new FencedError({ code, message, data })
}
