import { FencedError } from '@fenced/core'

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
