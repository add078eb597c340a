import type { Notice } from '@fenced/core'
import { raceTimeout } from '@fenced/core/internal'
import type { SandboxBackend } from '@fenced/core/sandbox'
import type { ReadySandbox } from './ready-sandbox.ts'

/** How long the answer may take, in milliseconds: less than an executor gives a block to stop. */
const answerMs = 3_000

/**
 * Whether a sandbox outlives its process, and what it belongs to does not answer: then that is why a block did not end, and a removal
 * would take the sandbox from others. The connection of the block is closed, which ends the block once the end arrives.
 */
export async function isSilentAndKept({
  launched: { backend, outlivesStop = false },
  isDetached = false,
}: Pick<ReadySandbox, 'launched'> & { readonly isDetached?: boolean }): Promise<boolean> {
  return (outlivesStop || isDetached) && (await isSilent(backend))
}

/** Whether what a sandbox belongs to does not answer. */
export async function isSilent(backend: Pick<SandboxBackend, 'state'>): Promise<boolean> {
  const state = await raceTimeout(backend.state(), answerMs)
  return state === 'late' || state === 'unknown'
}

/** @param where - what does not answer. */
export function notBegunNotice(where: string): Notice {
  return {
    code: 'died',
    message: `The program was not run: ${where} did not answer within the time limit. Check whether it is running, then run the block again.`,
    data: { backend: where },
  }
}

/** @param where - what does not answer. */
export function keptMessage(where: string): string {
  return `${where} does not respond, so Fenced could not see the block end. Its sandbox outlives this process and is kept. Parts of the block may run in it until the connection ends there as well.`
}
