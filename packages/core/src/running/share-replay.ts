/** Options of {@link SharedReplay.entries}. */
export interface EntriesOptions {
  /**
   * The id of the last event that the reader has had already.
   *
   * @default 0: it gets all events from the first one
   */
  readonly after?: number | undefined
  /** Ends the loop of this reader, as `break` does; what runs goes on. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Something that runs, for any number of readers, each from the first event or from one that it names: two pages that show
 * the same run, a client that comes back after its connection broke. Await it for the result. A reader who leaves ends
 * nothing; {@link cancel} does.
 */
export class SharedReplay<Result, Event> implements PromiseLike<Result>, AsyncIterable<Event> {
  readonly #running: PromiseLike<Result>
  readonly #events: Event[] = []
  readonly #iterator: AsyncIterator<Event>
  #end: { readonly error?: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  constructor(running: PromiseLike<Result> & AsyncIterable<Event>) {
    this.#running = running
    this.#iterator = running[Symbol.asyncIterator]()
    void this.#keep()
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited for its result.
  then<Value = Result, Other = never>(
    onResult?: ((result: Result) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): PromiseLike<Value | Other> {
    return this.#running.then(onResult, onError)
  }

  /** All events, from the first one. Throws what the run fails with. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, undefined, undefined> {
    for await (const [, event] of this.entries()) yield event
  }

  /** Events with their ids, which count from 1: `for await (const [id, event] of shared.entries({ after: 17 }))`. */
  async *entries({
    after = 0,
    signal,
  }: EntriesOptions = {}): AsyncGenerator<readonly [id: number, event: Event], undefined, undefined> {
    const left = Promise.withResolvers<void>()
    const leave = () => left.resolve()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      for (let read = after; signal?.aborted !== true; ) {
        const event = this.#events[read]
        if (read < this.#events.length) yield [++read, event as Event]
        else if (this.#end === undefined) await Promise.race([this.#changed.promise, left.promise])
        else if ('error' in this.#end) throw this.#end.error
        else return
      }
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Ends the run early, and the loops of its readers. Resolves when it has stopped. */
  async cancel(): Promise<void> {
    await this.#iterator.return?.()
  }

  /** It reads without waiting for anybody: a reader that is slow does not hold the run back. */
  async #keep(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#iterator.next()
        if (done === true) break
        this.#events.push(value)
        this.#tell()
      }
      this.#end = {}
    } catch (error) {
      this.#end = { error }
    }
    this.#tell()
  }

  #tell(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

/**
 * Lets any number of readers iterate what runs: an execution, a conversation, a task. All of its events are kept, for as long
 * as the object that is returned is; output is bounded by `maxOutputBytes` of the executor.
 *
 * @param running - which nobody has iterated yet.
 * @throws FencedError `EXECUTION_ITERATED_TWICE`, `EVENTS_ITERATED_TWICE` where somebody has.
 * @example
 * const run = shareReplay(executor.execute(blocks))
 * for await (const [id, event] of run.entries({ after: Number(request.headers['last-event-id'] ?? 0) })) send(id, event)
 */
export function shareReplay<Result, Event>(
  running: PromiseLike<Result> & AsyncIterable<Event>,
): SharedReplay<Result, Event> {
  return new SharedReplay(running)
}
