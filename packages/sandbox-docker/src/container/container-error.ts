import { FencedError, type FencedErrorCode } from '@fenced/core'
import { wordsOf } from '../engine/engine-error.ts'

/** What an engine says when it cannot make a container as asked, the code for it, and what to do about it. */
const refusals: readonly (readonly [said: RegExp, code: FencedErrorCode, next: string, option: string])[] = [
  [
    /does not match the specified platform|exec format error/i,
    'WRONG_PLATFORM',
    'The image was built for another kind of processor. Choose another `image`, or the `platform` that it was built for.',
    'image, platform',
  ],
  [
    /\/bin\/sh.*(no such file|not found|executable file)/is,
    'IMAGE_WITHOUT_SHELL',
    'The image has no /bin/sh, which Fenced needs in every container. Choose another `image`.',
    'image',
  ],
  [
    /exec sleep failed|sleep: not found/i,
    'IMAGE_WITHOUT_SHELL',
    'The image has no `sleep` command: choose another `image`.',
    'image',
  ],
  [
    /is already in use by/i,
    'CONTAINER_NAME_TAKEN',
    'Choose another `containerName`, or remove that container with `docker rm`.',
    'containerName',
  ],
  [
    /outside of container mount namespace|container breakout/i,
    'CONTAINER_UNUSABLE',
    'The working directory was removed and created again, and the container still has the old directory. Remove the container with `docker rm --force`; the next start creates a new container.',
    'workDir, containerName',
  ],
  [
    /unknown runtime|runtime.*not found|invalid runtime/i,
    'CONTAINER_REFUSED',
    'Check the `runtime` option; `docker info` lists the runtimes of the engine.',
    'runtime',
  ],
  [
    /network .* not found|unable to find network/i,
    'CONTAINER_REFUSED',
    'Check the `network` option; `docker network ls` lists the networks of the engine.',
    'network',
  ],
  [
    /device driver|gpu|nvidia/i,
    'CONTAINER_REFUSED',
    'Check the `gpus` option: the engine needs a driver and a runtime for them.',
    'gpus',
  ],
  [
    /bind source path does not exist|invalid mount|includes invalid characters/i,
    'CONTAINER_REFUSED',
    'Check the `volumes` option, whose paths are paths on the engine’s machine, and `bindDir`.',
    'volumes, bindDir',
  ],
  [
    /unable to find user|no users found|no matching entries/i,
    'CONTAINER_REFUSED',
    'Check the `user` option: numbers work for every image.',
    'user',
  ],
  [
    /cpus|memory limit|pids/i,
    'CONTAINER_REFUSED',
    'Check the options `cpus`, `memoryBytes` and `pids`.',
    'cpus, memoryBytes, pids',
  ],
]

/**
 * Returns the error for a container that could not be created or did not stay alive, if its options are the cause; otherwise
 * `undefined`.
 */
export function containerRefusal(said: string, cause: unknown): FencedError | undefined {
  const known = refusals.find(([pattern]) => pattern.test(said))
  if (known === undefined) return undefined
  const [, code, next, option] = known
  return new FencedError({
    code,
    message: `The engine refused the container: ${said.trim()}. ${next}`,
    data: { reason: said.trim(), option },
    cause,
  })
}

/** A paused container does not answer. It stays, because the process that paused it may resume it. */
export function pausedError(container: string, cause?: unknown): FencedError {
  const command = `docker unpause ${container}`
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The container "${container}" is paused. Another process paused it. Resume it with \`${command}\`.`,
    data: { container, command },
    ...(cause === undefined ? {} : { cause }),
  })
}

export function gone(cause: unknown): FencedError {
  const reason = cause === undefined ? undefined : wordsOf(cause)
  const words = reason === undefined ? '' : `: ${reason}`
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: `The container has ended or was removed${words}. Call \`start()\` to get a new container.`,
    ...(reason === undefined ? {} : { cause, data: { reason } }),
  })
}
