import {
  type CodeResult,
  type EventSource,
  type Execution,
  type ExecutionEvent,
  FencedError,
  Running,
} from '@fenced/core'

/** What was decided about code: how its run ends, and what is told of it until then. */
export interface Decided {
  readonly result: PromiseLike<CodeResult>
  readonly events: () => AsyncIterable<ExecutionEvent>
}

/** An {@link Execution} of code about which is still to be decided. */
export class DecidedExecution extends Running<CodeResult, ExecutionEvent> implements Execution {
  override readonly [Symbol.toStringTag] = 'Execution'

  /** @param cancel - ends the question, and the run behind it. */
  constructor(decided: Promise<Decided>, cancel: () => void) {
    super({
      result: decided.then(({ result }) => result),
      events: new DecidedEvents(decided),
      cancel,
    })
  }
}

/** The run is iterated only when somebody iterates this: what nobody reads is its own to keep or to leave out. */
class DecidedEvents implements EventSource<ExecutionEvent> {
  readonly #decided: Promise<Decided>
  #iterator: AsyncIterator<ExecutionEvent> | undefined
  #hasReader = false

  constructor(decided: Promise<Decided>) {
    this.#decided = decided
  }

  claimReader(): void {
    if (this.#hasReader) {
      throw new FencedError({
        code: 'EXECUTION_ITERATED_TWICE',
        message: 'An execution can be iterated only once. Await it for the result, which holds everything.',
      })
    }
    this.#hasReader = true
  }

  async *read(): AsyncGenerator<ExecutionEvent, undefined, undefined> {
    const { events } = await this.#decided
    this.#iterator = events()[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await this.#iterator.next()
      if (done) return
      yield value
    }
  }

  /** Whoever writes must not wait for a reader that has left. */
  release(): void {
    void this.#iterator?.return?.().then(undefined, () => {})
  }
}
