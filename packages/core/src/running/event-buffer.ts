import { EventSource } from './running.ts'

/** Events in their order on the way to their one reader. How much may wait, and what happens beyond, is a subclass's. */
export abstract class EventBuffer<Event> extends EventSource<Event> {
  readonly #events: Event[] = []
  /** The number of events that were read already. */
  #readCount = 0
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open'
  #isReleased = false
  #wakeReader: (() => void) | undefined

  end(): void {
    this.#state = 'ended'
    this.#wakeReader?.()
  }

  fail(error: unknown): void {
    this.#state = { error }
    this.#wakeReader?.()
  }

  /** From now on nothing that adds events waits for the reader. */
  release(): void {
    this.#isReleased = true
  }

  async *read(): AsyncGenerator<Event, undefined, undefined> {
    for (;;) {
      const event = this.#shift()
      if (event !== undefined) {
        this.onRead(event)
        yield event
      } else if (this.#state === 'open') {
        await this.#nextEvent()
      } else {
        if (this.#state !== 'ended') throw this.#state.error
        return
      }
    }
  }

  /** Called before an event is given to the reader. */
  protected abstract onRead(event: Event): void

  /** Called when the reader has seen everything and waits for more. */
  protected onCaughtUp(): void {}

  /** Whether the reader is behind, and may be waited for. */
  protected get mayHoldBack(): boolean {
    return this.hasReader && !this.#isReleased
  }

  /** Whether the reader has seen everything and waits for more. */
  protected get isCaughtUp(): boolean {
    return this.#readCount === this.#events.length && this.#wakeReader !== undefined
  }

  /** The event that was added last, if it was not read. */
  protected get last(): Event | undefined {
    return this.#readCount < this.#events.length ? this.#events.at(-1) : undefined
  }

  protected add(event: Event): void {
    this.#events.push(event)
    this.#wakeReader?.()
  }

  protected replaceLast(event: Event): void {
    this.#events[this.#events.length - 1] = event
  }

  /** An array's own `shift` moves all that is left, which for tens of thousands takes longer than to read them. */
  #shift(): Event | undefined {
    const event = this.#events[this.#readCount]
    if (event === undefined) return undefined
    this.#readCount++
    if (this.#readCount === this.#events.length || this.#readCount >= 1_024) {
      this.#events.splice(0, this.#readCount)
      this.#readCount = 0
    }
    return event
  }

  async #nextEvent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeReader = resolve
    this.onCaughtUp()
    await promise
    this.#wakeReader = undefined
  }
}
