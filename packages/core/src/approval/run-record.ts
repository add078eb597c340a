import { errorMessage } from '@fenced/errors'
import type { CodeResult, Notice } from '../vocabulary/code-result.ts'
import type { DecisionLedger } from './decision-ledger.ts'

/** A run of programs that a decision allows. */
interface AllowedRun {
  readonly ledger: DecisionLedger
  /** Id of the decision. */
  readonly id: string
  /** Digest of the programs. */
  readonly digest: string
  /** Called when the run failed: `allowed` before its first program could begin, `unknown` after that. */
  readonly onFailure: (state: 'allowed' | 'unknown', error: unknown) => void
}

/** Records the start and the end of a run in the ledger of its decision. */
export class RunRecord {
  readonly #run: AllowedRun
  #isStarted = false

  constructor(run: AllowedRun) {
    this.#run = run
  }

  /** Called once, before the first program can begin. Rejects where it must not: the decision was used. */
  async start(): Promise<void> {
    const { ledger, id, digest } = this.#run
    await ledger.start(id, digest)
    this.#isStarted = true
  }

  /** Resolves with a notice where the end could not be recorded. */
  async end({ status }: CodeResult): Promise<Notice | undefined> {
    if (status === 'died') this.#run.onFailure('unknown', undefined)
    return await this.#finish(status === 'died' ? 'unknown' : 'finished')
  }

  async fail(error: unknown): Promise<void> {
    this.#run.onFailure(this.#isStarted ? 'unknown' : 'allowed', error)
    await this.#finish('unknown')
  }

  async #finish(state: 'finished' | 'unknown'): Promise<Notice | undefined> {
    if (!this.#isStarted) return undefined
    const { ledger, id } = this.#run
    return await ledger.finish(id, state).then(
      () => undefined,
      (error: unknown) => notRecorded(id, errorMessage(error)),
    )
  }
}

function notRecorded(id: string, reason: string): Notice {
  return {
    code: 'end-not-recorded',
    message: `The program has ended, but the ledger could not record the end of the decision ${id}: ${reason} The decision’s state is unknown.`,
    data: { id, reason },
  }
}
