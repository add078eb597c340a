import { setTimeout as delay } from 'node:timers/promises'
import type { Notice } from '@fenced/core'
import { isGone } from '@fenced/docker-engine'
import type Docker from 'dockerode'

/** What became of a block whose end did not arrive, for a reader of the result. */
export async function describeLoss(container: Docker.Container): Promise<Notice> {
  return {
    code: 'died',
    message: `The end of the program is not known: ${await reason(container)} Its output may be cut off. The next call gets a new container.`,
  }
}

/**
 * Whether a container in which something ended without an end went away, and not only the connection.
 *
 * @throws what the engine answers when it cannot tell.
 */
export async function hasEnded(container: Docker.Container): Promise<boolean> {
  // The end of a container is reported a moment later than that of what ran in it.
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      const { State } = await container.inspect({ abortSignal: AbortSignal.timeout(5_000) })
      if (!State.Running) return true
    } catch (error) {
      if (isGone(error)) return true
      throw error
    }
    await delay(50)
  }
  return false
}

async function reason(container: Docker.Container): Promise<string> {
  try {
    return (await hasEnded(container))
      ? 'its container ended; its `maxLifetimeMs` had passed, or somebody removed it.'
      : 'the connection to the engine was cut, or the program killed everything around it.'
  } catch {
    return 'the engine does not answer any more.'
  }
}
