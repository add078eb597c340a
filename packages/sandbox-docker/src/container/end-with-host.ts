import type { Container } from './container.ts'
import type { ContainerRequest } from './container-request.ts'
import { keeper } from './keeper.ts'

/**
 * The container ends when its standard input does, because the connection to this process is gone, or when its time is
 * over. A shell gives a process in the background no standard input, unless from another descriptor.
 */
const script = `exec 3<&0
while read -r line; do :; done <&3 &
reader=$!
{ sleep "$1"; kill -KILL $reader; } &
wait $reader`

/** Of a limit that is none: `sleep` takes no more everywhere. */
const mostSeconds = 2 ** 31 - 1

/**
 * Returns request fields for a container that ends with this process, however it ends, and at a time limit. They take effect once
 * the container is held (`holdContainer`). Other processes are started in it with exec as a different user, so they can neither
 * signal nor trace the process that ends the container.
 *
 * @param limitMs - Time limit in milliseconds; 0 for none.
 */
export function endsWithHost(limitMs: number) {
  const seconds = limitMs === 0 ? mostSeconds : Math.min(Math.ceil(limitMs / 1_000), mostSeconds)
  return {
    // An empty word means none. With none at all it would be the image's own.
    Entrypoint: [''],
    Cmd: ['/bin/sh', '-c', script, 'fenced-end-with-host', `${seconds}`],
    User: keeper,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStderr: true,
  } satisfies Partial<ContainerRequest>
}

/** A container that ends when it is released or when this process ends. */
export interface HeldContainer {
  /** Settles when the container or the connection to it has ended. Rejects if the engine sends anything other than output. */
  readonly ended: Promise<void>
  release(): void
}

/** Holds a container whose request includes {@link endsWithHost}. */
export async function holdContainer(
  container: Container,
  options: { readonly signal: AbortSignal },
): Promise<HeldContainer> {
  const connection = await container.attach(options)
  const ended = connection.read(() => {})
  ended.catch(() => {})
  return { ended, release: () => connection.destroy() }
}
