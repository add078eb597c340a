import { exitCodes } from '@fenced/core'
import type { BlockIo } from '@fenced/core/driver'
import type { WarmOutcome } from '@fenced/python-runner'
import type { BackendProcess } from '../backend.ts'
import { BlockOutput } from './block-output.ts'
import { exitCodeOf, type OpenExec } from './open-exec.ts'
import { watchForEnd } from './watch-for-end.ts'

/** A block, ready to be run. */
export interface BlockCommand {
  readonly command: readonly string[]
  /** Names in the working directory that are removed before it begins. */
  readonly remove: readonly string[]
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly killGraceMs: number
}

/**
 * How a block ended: as the engine tells it; `lost` when its end is not known, because the connection or the
 * container went away; `stuck` when it did not go when it was killed.
 */
export type BlockEnd = WarmOutcome | 'lost' | 'stuck'

/** How long a block may take to end after SIGKILL, in milliseconds. */
const lastGraceMs = 5_000

/** Runs a block in an exec that waits for it, to its end or until `io.signal`. */
export async function runBlock(
  { process, runId }: OpenExec,
  { command, remove, killGraceMs }: BlockCommand,
  io: BlockIo,
): Promise<BlockEnd> {
  process.stdin?.write([remove, command].map(inLines).join(''))
  const output = new BlockOutput(runId, io)
  using stop = new StopWriter(process, io.signal, killGraceMs)
  using _watch = watchForEnd(process, () => output.quietMs)
  await output.read(process)
  if (stop.wasInVain) return 'stuck'
  // It may have ended while a slow reader kept us from hearing of it.
  const endedByItself = output.isWhole && !output.wasStopped
  if (io.signal.aborted && !endedByItself) return { exitCode: exitCodes.killed }
  const exitCode = await exitCodeOf(process, output.isWhole)
  // A program's success counts only with all of its output.
  return output.isWhole && exitCode !== undefined
    ? { exitCode, endedByItself, ...(output.outOfMemory ? { outOfMemory: true } : {}) }
    : 'lost'
}

/** How many, then each in a line of its own; none of them has a line break in it. */
function inLines(texts: readonly string[]): string {
  return [`${texts.length}`, ...texts].map((text) => `${text}\n`).join('')
}

/** Asks the block to end, then kills it, then lets go of it. */
class StopWriter implements Disposable {
  wasInVain = false
  readonly #timers: NodeJS.Timeout[] = []
  readonly #begin: () => void
  readonly #signal: AbortSignal

  constructor(process: BackendProcess, signal: AbortSignal, killGraceMs: number) {
    this.#signal = signal
    this.#begin = () => {
      process.stdin?.write('TERM\n')
      const giveUp = () => {
        this.wasInVain = true
        process.destroy()
      }
      this.#timers.push(
        setTimeout(() => process.stdin?.write('KILL\n'), killGraceMs),
        setTimeout(giveUp, killGraceMs + lastGraceMs),
      )
    }
    if (signal.aborted) this.#begin()
    else signal.addEventListener('abort', this.#begin, { once: true })
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#begin)
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
