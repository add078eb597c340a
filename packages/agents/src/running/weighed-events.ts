import { EventBuffer } from '@fenced/core/internal'

/** How much waits for a reader, in UTF-16 code units; an event weighs a little even when it holds no text. */
const capacity = 4 * 1024 * 1024
const eventWeight = 256

/** What stands where events were left out. */
export interface DroppedEvents {
  type: 'events-dropped'
  count: number
}

/**
 * Events on their way to the one who iterates them. While nobody does, it keeps what it has room for; a reader that is
 * behind is waited for.
 */
export class WeighedEvents<Event extends { readonly type: string }> extends EventBuffer<
  Event | DroppedEvents
> {
  readonly #lengthOf: (event: Event) => number
  #weight = 0
  #dropped: DroppedEvents | undefined
  #caughtUp: PromiseWithResolvers<void> | undefined

  /** @param lengthOf - how much text an event holds. Asked again when it is read. */
  constructor(lengthOf: (event: Event) => number) {
    super({
      code: 'EVENTS_ITERATED_TWICE',
      message: 'Its events can be iterated only once. Await it for the result.',
    })
    this.#lengthOf = lengthOf
  }

  /** A promise is returned while the reader is far behind. */
  push(event: Event): void | Promise<void> {
    if (!this.hasReader && this.#weight > capacity) return this.#drop()
    this.#dropped = undefined
    this.#weight += this.#weightOf(event)
    this.add(event)
    if (this.#weight > capacity) return this.drained()
  }

  /** Resolves when the reader has seen everything and comes back for more; at once where there is none. */
  drained(): void | Promise<void> {
    if (!this.mayHoldBack || this.isCaughtUp) return
    this.#caughtUp ??= Promise.withResolvers()
    return this.#caughtUp.promise
  }

  override release(): void {
    super.release()
    this.onCaughtUp()
  }

  protected override onRead(event: Event | DroppedEvents): void {
    this.#weight -= this.#weightOf(event)
    if (event === this.#dropped) this.#dropped = undefined
  }

  protected override onCaughtUp(): void {
    this.#caughtUp?.resolve()
    this.#caughtUp = undefined
  }

  #weightOf(event: Event | DroppedEvents): number {
    return eventWeight + (isDropped(event) ? 0 : this.#lengthOf(event))
  }

  #drop(): void {
    if (this.#dropped === undefined) {
      this.#dropped = { type: 'events-dropped', count: 0 }
      this.#weight += eventWeight
      this.add(this.#dropped)
    }
    this.#dropped.count++
  }
}

function isDropped(event: { readonly type: string }): event is DroppedEvents {
  return event.type === 'events-dropped'
}
