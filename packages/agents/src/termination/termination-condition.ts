import type { AgentEvent } from '../event.ts'
import type { Message } from '../message/message.ts'

/** A run that is watched. */
export interface WatchedRun {
  /** What it was given to do; empty where it goes on with what was said before. */
  readonly task: readonly Message[]
  /** Aborted when the run is over: let go of timers. */
  readonly signal: AbortSignal
  /** Ends the run now: the speaker is cancelled. What was said and done so far stays. */
  readonly stop: (reason: string) => void
}

/**
 * Called with what is new, in order: first of nothing, when the run begins, and then of each turn when it has ended. Pieces of
 * tokens and output are left out. Gives the reason to end the run, a sentence; `undefined` to go on.
 */
export type TerminationCheck = (
  events: readonly AgentEvent[],
) => string | undefined | Promise<string | undefined>

/** Decides when a team has done its work. It keeps nothing from one run to the next, and can watch many at once. */
export interface TerminationCondition {
  /** Begins to watch a run. */
  begin(run: WatchedRun): TerminationCheck
}
