import { setTimeout as pause, setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { CodeResult } from '../code-result.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import { EventSource, Running } from '../running/running.ts'

/** A decision about code: the result of its run, and its events until then. */
export interface Decided {
  readonly result: PromiseLike<CodeResult>
  readonly events: () => AsyncIterable<ExecutionEvent>
}

/** Makes the event of a question known; resolves when the one who iterates the execution has dealt with it. */
export type ShowQuestion = (event: ExecutionEvent, signal: AbortSignal) => Promise<void>

/** The longest wait for a reader of the question's event, in milliseconds: a reader may never read further. */
const longestWaitMs = 1_000

/** An {@link Execution} of code about which is still to be decided. */
export class DecidedExecution extends Running<CodeResult, ExecutionEvent> implements Execution {
  override readonly [Symbol.toStringTag] = 'Execution'

  /** @param cancel - ends the question, and the run that follows it. */
  constructor(decide: (show: ShowQuestion) => Promise<Decided>, cancel: () => void) {
    const events = new DecidedEvents()
    const decided = decide((event, signal) => events.show(event, signal))
    events.follow(decided)
    super({ result: decided.then(({ result }) => result), events, cancel })
  }
}

/** Iterates the run only for a reader: the run decides which unread events it keeps. */
class DecidedEvents extends EventSource<ExecutionEvent> {
  /** The event of the question. Empty without a question. */
  readonly #question = Promise.withResolvers<ExecutionEvent | undefined>()
  readonly #isRead = Promise.withResolvers<void>()
  #decided: Promise<Decided> | undefined
  #iterator: AsyncIterator<ExecutionEvent> | undefined

  follow(decided: Promise<Decided>): void {
    this.#decided = decided
    const end = () => this.#question.resolve(undefined)
    decided.then(end, end)
  }

  async show(event: ExecutionEvent, signal: AbortSignal): Promise<void> {
    this.#question.resolve(event)
    // A loop over the execution begins directly after the call of `execute`.
    await turnOfEventLoop()
    if (!this.hasReader) return
    const limit = new AbortController()
    const either = AbortSignal.any([signal, limit.signal])
    await Promise.race([
      this.#isRead.promise,
      pause(longestWaitMs, undefined, { signal: either }).catch(() => {}),
    ])
    limit.abort()
  }

  async *read(): AsyncGenerator<ExecutionEvent, undefined, undefined> {
    const question = await this.#question.promise
    if (question !== undefined) yield question
    this.#isRead.resolve()
    const { events } = await (this.#decided as Promise<Decided>)
    this.#iterator = events()[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await this.#iterator.next()
      if (done) return
      yield value
    }
  }

  /** A writer must not wait for a reader that has left. */
  release(): void {
    this.#isRead.resolve()
    void this.#iterator?.return?.().then(undefined, () => {})
  }
}
