import { Termination } from './termination.ts'
import type { TerminationCheck, WatchedRun } from './termination-condition.ts'

/** Ends runs from outside, when the turn at hand has ended: for a stop button. To end a run at once, abort its signal. */
export class ExternalTermination extends Termination {
  static readonly provider: string = 'ExternalTermination'
  readonly #runs = new Set<{ isEnded: boolean }>()

  /** Ends all runs that it watches now. Later ones are not concerned. */
  set(): void {
    for (const run of this.#runs) run.isEnded = true
  }

  begin({ signal }: WatchedRun): TerminationCheck {
    const run = { isEnded: false }
    this.#runs.add(run)
    signal.addEventListener('abort', () => this.#runs.delete(run), { once: true })
    return () => (run.isEnded ? 'External termination requested' : undefined)
  }
}
