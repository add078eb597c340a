import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { raceGrace } from '@fenced/shared'
import { ApiAnswerError } from '../api/api-error.ts'

/** Removes something. @returns whether it was there. */
type Removal = (signal: AbortSignal) => Promise<boolean>

/** How long the removal of what did not start may take, in milliseconds. */
const removalLimitMs = 30_000

/** How long a start that was cancelled waits for it, in milliseconds. */
const cancelledMs = 10_000

/** When it is tried again, in milliseconds: a server on the way may hold a request for minutes. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, ...Array<number>(9).fill(30_000)]

/** What a failed start may have left. */
interface LeftoverPod {
  readonly remove: Removal
  /** Making it. */
  readonly making: Promise<unknown>
  /** Of the start. */
  readonly signal: AbortSignal
}

/**
 * Removes what a failed start may have left: now; and in the background where that fails, or where it may yet come to be because the
 * answer to its making was lost.
 */
export async function removeNowOrLater({ remove, making, signal }: LeftoverPod): Promise<void> {
  const removing = removeOnce({ remove, making })
  await (signal.aborted ? raceGrace(removing, cancelledMs) : removing)
}

async function removeOnce({ remove, making }: Omit<LeftoverPod, 'signal'>): Promise<void> {
  const made = await making.then(() => 'yes' as const, wasMade)
  if (made === 'no') return
  const mayCome = made === 'unknown'
  const isGone = await remove(AbortSignal.timeout(removalLimitMs)).then(
    (wasThere) => wasThere || !mayCome,
    () => false,
  )
  if (!isGone) void removeInBackground(remove, mayCome)
}

/** It keeps no process alive: the next start on this machine removes what a process has left. */
async function removeInBackground(remove: Removal, mayCome: boolean): Promise<void> {
  for (const pauseMs of pausesMs) {
    await delay(pauseMs, undefined, { ref: false })
    try {
      const wasThere = await remove(AbortSignal.timeout(removalLimitMs))
      if (wasThere || !mayCome) return
    } catch {
      // The next one may reach the cluster.
    }
  }
}

/** What a failure says: a refusal made nothing, except for the second attempt of a server on the way. */
function wasMade(error: unknown): 'yes' | 'no' | 'unknown' {
  const { cause } = FencedError.isInstance(error) ? error : { cause: error }
  if (!(cause instanceof ApiAnswerError) || cause.status >= 500) return 'unknown'
  return cause.status === 409 ? 'yes' : 'no'
}
