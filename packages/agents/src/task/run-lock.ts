import { FencedError } from '@fenced/core'
import type { EventInit } from '../event.ts'
import type { ToolResponse } from '../message/tool-parts.ts'
import type { OpenQuestion } from '../open-question.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { SavedTurn } from '../running/saved-questions.ts'

/**
 * Allows one operation at a time and refuses others. Read-only operations are allowed while a question about code, a tool or a
 * reply is open: no state changes then.
 */
export class RunLock {
  readonly #refusal: () => FencedError
  readonly #questions = new Map<string, OpenQuestion>()
  #toolResponses: ToolResponse[] = []
  #isTaken = false
  #isAnswered = false

  /** @param refusal - what is thrown while something happens. */
  constructor(refusal: () => FencedError) {
    this.#refusal = refusal
  }

  /** The turn, as a state keeps it; `undefined` if no question is open. */
  get open(): SavedTurn | undefined {
    if (this.#questions.size === 0) return undefined
    const questions = [...this.#questions.values()]
    return structuredClone({ questions, areDenied: false, toolResponses: this.#toolResponses })
  }

  /**
   * The turn after a failure, if its questions are to be asked again: questions of a state that was loaded, or of this turn. A
   * question of a cancelled run is withdrawn.
   */
  unanswered(saved: SavedTurn | undefined, { signal }: RunContext): SavedTurn | undefined {
    const open = signal.aborted ? undefined : this.open
    return open ?? (this.#isAnswered ? undefined : saved)
  }

  /** Until it is disposed of nothing else happens. */
  take(): Disposable {
    if (this.#isTaken) throw this.#refusal()
    this.#isTaken = true
    this.#isAnswered = false
    return {
      [Symbol.dispose]: () => {
        this.#isTaken = false
        this.#questions.clear()
        this.#toolResponses = []
      },
    }
  }

  /** Like {@link take}, and also while a question is open. */
  takeForReading(): Disposable {
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
    const { agent } = event
    switch (event.type) {
      case 'human-input-requested':
        this.#questions.set(event.request.id, { agent, request: event.request })
        break
      case 'approval-requested': {
        const { request } = event
        // A question of a running program ends with the program.
        if (request.kind === 'code' || (request.kind === 'tool' && request.blockIndex === undefined))
          this.#questions.set(request.id, { agent, request })
        break
      }
      case 'tool-end':
        this.#toolResponses.push(event.response)
        break
      case 'tool-calls':
      case 'tool-results':
        this.#toolResponses = []
        break
      case 'human-input-answered':
      case 'approval-answered':
        this.#questions.delete(event.requestId)
        this.#isAnswered = true
        break
    }
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
