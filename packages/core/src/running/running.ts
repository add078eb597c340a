import { FencedError } from '@fenced/errors'

/** The error for a second reader. */
export interface IteratedTwice {
  readonly code: 'EXECUTION_ITERATED_TWICE' | 'EVENTS_ITERATED_TWICE'
  readonly message: string
}

const executionIteratedTwice: IteratedTwice = {
  code: 'EXECUTION_ITERATED_TWICE',
  message: 'An execution can be iterated only once. Await it to get the result, which contains everything.',
}

/** The events of something that runs, on their way to their one reader. */
export abstract class EventSource<Event> {
  readonly #iteratedTwice: IteratedTwice
  #hasReader = false

  constructor(iteratedTwice: IteratedTwice = executionIteratedTwice) {
    this.#iteratedTwice = iteratedTwice
  }

  /** @throws FencedError if another reader has claimed the events. */
  claimReader(): void {
    if (this.#hasReader) throw new FencedError(this.#iteratedTwice)
    this.#hasReader = true
  }

  protected get hasReader(): boolean {
    return this.#hasReader
  }

  /** All events from the first one; throws what the run failed with. */
  abstract read(): AsyncGenerator<Event, undefined, undefined>

  /** From now on nothing waits for the reader. */
  abstract release(): void
}

/** Parts of a {@link Running}. */
export interface RunningParts<Result, Event> {
  /** Settles at the end, after the last event. */
  readonly result: Promise<Result>
  /** Its events. */
  readonly events: EventSource<Event>
  /** Ends it early, as an aborted signal does. */
  readonly cancel: (reason?: unknown) => void
}

/**
 * Something that runs: await it for the result, iterate it for the events. It also runs without a reader.
 * {@link cancel} ends it early. Leaving the loop cancels it too and waits until it has stopped. It can be iterated once.
 */
export class Running<Result, Event> implements Promise<Result>, AsyncIterable<Event> {
  readonly [Symbol.toStringTag]: string = 'Running'
  readonly #events: EventSource<Event>
  readonly #result: Promise<Result>
  readonly #cancel: (reason?: unknown) => void

  constructor({ result, events, cancel }: RunningParts<Result, Event>) {
    this.#result = result
    this.#events = events
    this.#cancel = cancel
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited for its result.
  then<Value = Result, Other = never>(
    onResult?: ((result: Result) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#result.then(onResult, onError)
  }

  catch<Other = never>(
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Result | Other> {
    return this.#result.catch(onError)
  }

  finally(onSettled?: (() => void) | null): Promise<Result> {
    return this.#result.finally(onSettled)
  }

  /**
   * Ends the run early, as an aborted `signal` does. Resolves when the run has stopped; never rejects. After the end, it has no
   * effect.
   *
   * @param reason - What the run rejects with if it rejects when cancelled. @default an `AbortError`
   */
  async cancel(reason?: unknown): Promise<void> {
    this.#cancel(reason)
    this.#events.release()
    await this.#result.catch(() => {})
  }

  /** Not a generator: a generator that has not begun, or that waits for an event, does not notice that its reader leaves. */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined, undefined> {
    this.#events.claimReader()
    // The reader gets the error from the loop; without this it would count as unhandled as well.
    this.#result.catch(() => {})
    const events = this.#events.read()
    return {
      next: () => events.next(),
      return: async () => {
        await this.cancel()
        return events.return(undefined)
      },
    }
  }
}
