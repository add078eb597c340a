import { raceTimeout } from '@fenced/core/internal'
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
  if (!outlivesStop && !isDetached) return false
  const state = await raceTimeout(backend.state(), answerMs)
  return state === 'late' || state === 'unknown'
}

/** @param where - what does not answer. */
export function keptMessage(where: string): string {
  return `${where} does not answer, so the block was not seen to end. Its sandbox outlives this process and is kept. Something of the block may run in it until the connection ends there as well.`
}
