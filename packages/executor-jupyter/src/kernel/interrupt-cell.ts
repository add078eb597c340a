import { exitCodes } from '@fenced/core'
import { raceTimeout } from '@fenced/host'
import type { CellEnd } from './cell.ts'
import type { KernelClient } from './kernel-client.ts'

/** Why a cell has no end: it took too long, or its kernel cannot be reached. */
export type NoEnd = 'late' | 'unreachable'

/** How long an interrupt may take to show an effect before it is sent again, in milliseconds. */
const againMs = 200

/** How long a kernel may take to answer an interrupt, in milliseconds: not every kernel does. */
const answerMs = 1_000

interface InterruptedCell {
  readonly kernel: KernelClient
  readonly running: Promise<CellEnd>
  /** How long the cell may take to end, in milliseconds. */
  readonly graceMs: number
}

/**
 * Interrupts the running cell of a kernel, as Ctrl-C does. ipykernel swallows an interrupt that comes before the cell's
 * own code, so it is sent again; one that comes between its own code and the cell's ends the cell without a reply, and
 * then it is enough that the kernel is idle.
 */
export async function interruptCell({ kernel, running, graceMs }: InterruptedCell): Promise<CellEnd | NoEnd> {
  const giveUpAt = performance.now() + graceMs
  let leftMs = graceMs
  do {
    const { cell } = kernel
    const wasIdle = cell?.isIdle ?? false
    try {
      const interrupted = wasIdle ? Promise.resolve() : kernel.interrupt()
      const end = await raceTimeout(
        raceTimeout(interrupted, answerMs).then(() => raceTimeout(running, againMs)),
        leftMs,
      )
      if (end !== 'late') return end
    } catch {
      return 'unreachable'
    }
    if (wasIdle && cell !== undefined) {
      cell.endWith({ kind: 'done', exitCode: exitCodes.cancelled })
      return running
    }
    leftMs = giveUpAt - performance.now()
  } while (leftMs > 0)
  return 'late'
}
