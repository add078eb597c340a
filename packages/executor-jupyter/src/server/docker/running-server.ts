import { FencedError, type LimitsInForce, type StartOptions } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import type { JupyterConnection } from '../connection-info.ts'
import { startFailed } from '../server-error.ts'

/** A server in a container that was started. */
export interface RunningServer {
  connect(options: StartOptions): Promise<JupyterConnection>
  /** Whether `connect` makes sense: otherwise a new one is started. */
  isAlive(): boolean
  /** Limits of its container. */
  readonly limits: LimitsInForce | undefined
  /** Removes its container. */
  stop(): Promise<void>
}

/** @param words - the end of what the server wrote. */
export function startFailedIn(image: string, words: string, cause: unknown): FencedError {
  const why = FencedError.isInstance(cause) ? cause.data?.reason : errorMessage(cause)
  const said = `${words} ${why}`
  if (words.endsWith('There is no jupyter_server.') || /python3.*(no such file|not found)/i.test(said))
    return notInstalled(image, cause)
  return startFailed({ which: `in a container of ${image}`, values: { image }, lastWords: words }, cause)
}

export function notInstalled(image: string, cause: unknown): FencedError {
  return new FencedError({
    code: 'JUPYTER_NOT_INSTALLED',
    message: `The image ${image} has no Jupyter server: it needs a python3 with jupyter-server and ipykernel. Leave \`image\` out to use the default image, or build on DockerJupyterServer.DEFAULT_DOCKERFILE.`,
    data: { image, option: 'image' },
    cause,
  })
}
