import { atProcessEnd } from '@fenced/core/internal'
import { stateOf } from './process-state.ts'

/** A program that must not outlive this process. Its methods are called when it is no longer possible to wait for anything. */
export interface ProgramToEnd {
  readonly processId: number | undefined
  /** Stops the program, or asks it to exit. */
  end(): void
  /** Called if the program is still running one second later. */
  kill?(): void
}

const programs = new Set<ProgramToEnd>()
let stopListening = () => {}

/** How long programs may take to end, in milliseconds. */
const longestMs = 1_000

/**
 * Stops a program when this process exits, or when a signal ends it for which the host has and had no listener, until the returned
 * object is disposed of. On Linux, it waits for the program to end. Temporary directories are removed afterward.
 */
export function endAtExit(program: ProgramToEnd): Disposable {
  if (programs.size === 0) stopListening = atProcessEnd('programs', endAll)
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
  const state = processId === undefined ? undefined : stateOf(processId)?.state
  return state !== undefined && state !== 'Z' && state !== 'X'
}
