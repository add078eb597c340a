import { readFileSync } from 'node:fs'
import { onExit } from 'signal-exit'

/** A program that must not outlive this process. Nothing can be waited for when its methods are called. */
export interface ProgramToEnd {
  readonly processId: number | undefined
  /** Ends it, or asks it to end. */
  end(): void
  /** Called when it is still there one second later. */
  kill?(): void
}

const programs = new Set<ProgramToEnd>()
let stopListening = () => {}

/** How long programs may take to end, in milliseconds. */
const longestMs = 1_000

/**
 * Ends a program when this process exits, or when a signal ends it that can be caught and that no handler of the host is for, until
 * it is disposed of. On Linux its end is waited for. Temporary directories are removed after that.
 */
export function endAtExit(program: ProgramToEnd): Disposable {
  if (programs.size === 0) stopListening = onExit(endAll)
  programs.add(program)
  return {
    [Symbol.dispose]: () => {
      if (programs.delete(program) && programs.size === 0) stopListening()
    },
  }
}

function endAll(): void {
  for (const program of programs) quietly(() => program.end())
  const giveUpAt = performance.now() + longestMs
  let remaining = [...programs].filter(isThere)
  while (remaining.length > 0 && performance.now() < giveUpAt) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    remaining = remaining.filter(isThere)
  }
  for (const program of remaining) quietly(() => program.kill?.())
}

/** An exception would change how this process ends, and spare the next program. */
function quietly(act: () => void): void {
  try {
    act()
  } catch {
    // The process is exiting, so the error cannot be reported.
  }
}

/** Excludes zombies, which this process can no longer reap. Linux only: elsewhere there are none. */
function isThere({ processId }: ProgramToEnd): boolean {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'latin1')
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '')
  } catch {
    return false
  }
}
