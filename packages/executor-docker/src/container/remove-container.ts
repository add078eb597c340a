import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'

/**
 * Ends and removes a container with the volumes that were made for it, and waits until it is gone. One that is gone
 * already, or that is being removed by somebody else, counts as removed.
 *
 * @param limitMs - how long that may take, in milliseconds.
 */
export async function removeContainer(container: Docker.Container, limitMs = 30_000): Promise<void> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    await container.remove({ force: true, v: true, abortSignal: signal })
  } catch (error) {
    if (isGone(error)) return
    if (!isConflict(error)) throw error
    await gone(container, signal)
  }
}

/** "Removal of container ... is already in progress." */
async function gone(container: Docker.Container, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await container.inspect({ abortSignal: signal })
    } catch (error) {
      if (isGone(error)) return
      throw error
    }
    await delay(20, undefined, { signal })
  }
}

/** Whether the engine knows no such container. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404
}

/** Whether the engine says that the container's state does not allow it: not running, or being removed. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409
}

function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number } | undefined)?.statusCode
}
