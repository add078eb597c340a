import { setTimeout as delay } from 'node:timers/promises'
import type { Notice } from '@fenced/core'
import type { SandboxBackend } from '../backend.ts'

/** What became of a block whose end did not arrive, for a reader of the result. */
export async function describeLoss(backend: SandboxBackend): Promise<Notice> {
  return {
    code: 'died',
    message: `The end of the program is not known: ${reasons[await stateAfterLoss(backend)]} Its output may be cut off. The next call gets a new container.`,
  }
}

/** Whether a container in which something ended without an end went away, and not only the connection. */
export async function hasEnded(backend: SandboxBackend): Promise<boolean> {
  return (await stateAfterLoss(backend)) === 'ended'
}

const reasons = {
  ended: 'its container ended; its `maxLifetimeMs` had passed, or somebody removed it.',
  running: 'the connection to the engine was cut, or the program killed everything around it.',
  unknown: 'the engine does not answer any more.',
} as const

/** The end of a container is reported a moment later than that of what ran in it. */
async function stateAfterLoss(backend: SandboxBackend): Promise<keyof typeof reasons> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const state = await backend.state()
    if (state !== 'running') return state
    await delay(50)
  }
  return 'running'
}
