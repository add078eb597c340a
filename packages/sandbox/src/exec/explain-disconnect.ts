import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { ProcessEnd, SandboxBackend } from '@fenced/core/sandbox'
import { whereIs } from './exec-target.ts'

/** What became of a program whose end did not arrive. */
export async function explainDisconnect(
  backend: SandboxBackend,
): Promise<Extract<ProcessEnd, { readonly kind: 'lost' }>> {
  const state = await stateAfterLoss(backend)
  return {
    kind: 'lost',
    what: state === 'ended' ? 'sandbox' : 'connection',
    message: `It is unknown how the program ended: ${reasons[state]} Its output may be cut off.`,
    data: { state },
  }
}

/** Whether a sandbox in which something ended without an end went away, and not only the connection. */
export async function hasEnded(backend: SandboxBackend): Promise<boolean> {
  return (await stateAfterLoss(backend)) === 'ended'
}

/** How much of an output an error repeats, in UTF-16 code units. */
const shownLength = 2_000

/**
 * Returns the error for a command that ended without its end mark.
 *
 * @param printed - what it printed: why it could not be started, where the connection is not the reason.
 */
export async function lossError(backend: SandboxBackend, printed: string): Promise<FencedError> {
  const output = printed.trim().slice(-shownLength)
  return (await hasEnded(backend))
    ? new FencedError({
        code: 'SANDBOX_GONE',
        message: 'The sandbox ended before a command in it finished. Start again to get a new sandbox.',
      })
    : new FencedError({
        code: 'ENGINE_LOST',
        message: `The connection to ${whereIs(backend)} ended before a command reported its end${output && `; its output was: ${output}`}. Check whether the sandbox is running, then start again.`,
        data: { backend: whereIs(backend), ...(output === '' ? {} : { output }) },
      })
}

const reasons = {
  ended:
    'its sandbox ended: it ran out of memory, reached `maxLifetimeMs`, or was removed. Files in `/tmp` may count as memory. The next call gets a new sandbox.',
  running: 'the connection broke, or the program killed the processes around it.',
  paused: 'the connection to its paused sandbox broke.',
  unknown: 'the engine or cluster of its sandbox does not answer.',
} as const

/** The end of a sandbox is reported a moment later than that of what ran in it. */
async function stateAfterLoss(backend: SandboxBackend): Promise<keyof typeof reasons> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const state = await backend.state()
    if (state !== 'running') return state
    await delay(50)
  }
  return 'running'
}
