import type { CodeApprovalRequest, FencedError } from '@fenced/core'
import type { EventInit } from '../event.ts'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { RunContext } from './run-with-events.ts'

/**
 * Lets one thing happen at a time, and refuses what comes meanwhile; but for what only looks, while a person is asked
 * whether code may be run or what to reply: nothing changes then.
 */
export class OneAtATime {
  readonly #refusal: () => FencedError
  readonly #questions = new Map<string, CodeApprovalRequest | HumanInputRequest>()
  #isTaken = false

  /** @param refusal - what is thrown while something happens. */
  constructor(refusal: () => FencedError) {
    this.#refusal = refusal
  }

  /** The questions that are open. */
  get questions(): readonly (CodeApprovalRequest | HumanInputRequest)[] {
    return [...this.#questions.values()]
  }

  /** Until it is disposed of nothing else happens. */
  take(): Disposable {
    if (this.#isTaken) throw this.#refusal()
    this.#isTaken = true
    return {
      [Symbol.dispose]: () => {
        this.#isTaken = false
        this.#questions.clear()
      },
    }
  }

  /** As {@link take}, and also while a person is asked. */
  look(): Disposable {
    return this.#questions.size > 0 ? { [Symbol.dispose]: () => {} } : this.take()
  }

  /** The same run, whose questions are known here. */
  following(run: RunContext): RunContext {
    return {
      ...run,
      emit: (event) => {
        this.#follow(event)
        return run.emit(event)
      },
    }
  }

  #follow(event: EventInit): void {
    switch (event.type) {
      case 'human-input-requested':
        this.#questions.set(event.request.id, event.request)
        break
      case 'approval-requested':
        if (event.request.kind === 'code') this.#questions.set(event.request.id, event.request)
        break
      case 'human-input-answered':
      case 'approval-answered':
        this.#questions.delete(event.requestId)
        break
    }
  }
}
