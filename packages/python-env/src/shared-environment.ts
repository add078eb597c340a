import { FencedError, type StartOptions } from '@fenced/core'
import { SharedStart } from '@fenced/host'

/** An environment that is made ready by the first who needs it, for all who need it at the same time. */
export function sharedEnvironment<T>(
  start: (options: StartOptions & { readonly signal: AbortSignal }) => Promise<T>,
  stop: (running: T) => Promise<void>,
): SharedStart<T> {
  return new SharedStart<T>({
    start,
    stop,
    isAlive: () => true,
    stoppedError,
  })
}

/** What those hear who wait for something of an environment that is being stopped. */
export function stoppedError(): FencedError {
  return new FencedError({
    code: 'ENVIRONMENT_STOPPED',
    message: 'The Python environment was stopped meanwhile.',
  })
}
