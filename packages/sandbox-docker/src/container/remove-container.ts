import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'
import { EngineAnswerError } from '../engine/engine-answer.ts'

/**
 * Ends and removes a container with its anonymous volumes, and waits until it is gone. A container that is gone
 * already, or that another client is removing, counts as removed. Retries while the engine cannot remove it.
 *
 * @param options - `limitMs` is how long that may take, in milliseconds; 30 000 by default.
 * @throws what the engine answered last.
 */
export async function removeContainer(
  container: Docker.Container,
  { limitMs = 30_000, signal }: { limitMs?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const limit = AbortSignal.timeout(limitMs)
  const abortSignal = signal === undefined ? limit : AbortSignal.any([limit, signal])
  let refusal: unknown
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    try {
      return await container.remove({ force: true, v: true, abortSignal })
    } catch (error) {
      if (isGone(error)) return
      if (abortSignal.aborted) throw refusal ?? error
      if (!isConflict(error) && !isPassing(error)) throw error
      refusal = error
    }
    await delay(pauseMs)
  }
}

/**
 * Whether the engine says that it could not end it, which passes: a killed process stays a zombie until its parent has
 * time for it, and its file system stays in use as long (moby, `cleanupContainer` and `Kill`; Podman, "could not be
 * stopped").
 */
function isPassing(error: unknown): boolean {
  return (
    statusOf(error) === 500 &&
    /could not kill|can not be killed|did not receive an exit event|could not be stopped|device or resource busy/i.test(
      String(error),
    )
  )
}

/** Whether the engine knows no such container or image. A proxy before it that knows no such page does not say so. */
export function isGone(error: unknown): boolean {
  return error instanceof EngineAnswerError && error.statusCode === 404 && error.isOfEngine
}

/** Whether the engine says that the container's state does not allow it: not running, or being removed. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409
}

function statusOf(error: unknown): number | undefined {
  return error instanceof EngineAnswerError ? error.statusCode : undefined
}
