import { FencedError, type StartOptions } from '@fenced/core'
import { SharedStart } from '@fenced/host'

/** An environment that is made ready by the first who needs it, for all who need it at the same time. */
export function sharedEnvironment<T>(
  start: (options: StartOptions) => Promise<T>,
  stop: () => Promise<void>,
): SharedStart<T> {
  return new SharedStart<T>({
    start,
    stop,
    isAlive: () => true,
    stoppedError: () =>
      new FencedError({
        code: 'ENVIRONMENT_STOPPED',
        message: 'The Python environment was stopped while it was made ready.',
      }),
  })
}
