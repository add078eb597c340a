import { FencedError } from '@fenced/core'
import type { RunContext } from '../running/run-with-events.ts'
import { OpenQuestions, type SavedTurn } from '../running/saved-questions.ts'

/**
 * Allows one operation at a time and refuses others. Read-only operations are allowed while a question about code, a tool or a
 * reply is open: no state changes then.
 */
export class RunLock {
  readonly #refusal: () => FencedError
  readonly #questions = new OpenQuestions()
  #isTaken = false

  /** @param refusal - what is thrown while something happens. */
  constructor(refusal: () => FencedError) {
    this.#refusal = refusal
  }

  /** The turn, as a state keeps it; `undefined` if no question is open. */
  get open(): SavedTurn | undefined {
    return this.#questions.turn
  }

  /**
   * The turn after a failure, if its questions are to be asked again: questions of a state that was loaded, or of this turn. A
   * question of a cancelled run is withdrawn.
   */
  unanswered(saved: SavedTurn | undefined, { signal }: RunContext): SavedTurn | undefined {
    const open = signal.aborted ? undefined : this.open
    return open ?? (this.#questions.isAnswered ? undefined : saved)
  }

  /** Until it is disposed of nothing else happens. */
  take(): Disposable {
    if (this.#isTaken) throw this.#refusal()
    this.#isTaken = true
    this.#questions.clear()
    return {
      [Symbol.dispose]: () => {
        this.#isTaken = false
        this.#questions.clear()
      },
    }
  }

  /** Like {@link take}, and also while a question is open. */
  takeForReading(): Disposable {
    return this.open !== undefined ? { [Symbol.dispose]: () => {} } : this.take()
  }

  /** The same run, whose questions are known here. */
  following<Run extends RunContext>(run: Run): Run {
    return this.#questions.following(run)
  }
}

/** @param advice - what the caller can do, as a sentence. */
export function isAnswering(name: string, advice: string): FencedError {
  return new FencedError({
    code: 'AGENT_IS_ANSWERING',
    message: `Agent "${name}" is already answering. ${advice}`,
    data: { agent: name },
  })
}
