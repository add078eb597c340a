import { FencedError } from '@fenced/core'
import type { EventSource } from '@fenced/core/internal'

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
export class EventBuffer<Event extends { readonly type: string }>
  implements EventSource<Event | DroppedEvents>
{
  readonly #lengthOf: (event: Event) => number
  #events: { readonly event: Event | DroppedEvents; readonly weight: number }[] = []
  #weight = 0
  #dropped: DroppedEvents | undefined
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open'
  #hasReader = false
  #released = false
  #wakeReader: (() => void) | undefined
  #caughtUp: PromiseWithResolvers<void> | undefined

  /** @param lengthOf - how much text an event holds. */
  constructor(lengthOf: (event: Event) => number) {
    this.#lengthOf = lengthOf
  }

  /** A promise is returned while the reader is far behind. */
  push(event: Event): void | Promise<void> {
    if (!this.#hasReader && this.#weight > capacity) return this.#drop()
    this.#dropped = undefined
    this.#add(event, eventWeight + this.#lengthOf(event))
    if (this.#weight > capacity) return this.drained()
  }

  /** Resolves when the reader has seen everything and comes back for more; at once where there is none. */
  drained(): void | Promise<void> {
    if (!this.#hasReader || this.#released) return
    if (this.#events.length === 0 && this.#wakeReader !== undefined) return
    this.#caughtUp ??= Promise.withResolvers()
    return this.#caughtUp.promise
  }

  end(): void {
    this.#state = 'ended'
    this.#wakeReader?.()
  }

  fail(error: unknown): void {
    this.#state = { error }
    this.#wakeReader?.()
  }

  claimReader(): void {
    if (this.#hasReader) {
      throw new FencedError({
        code: 'EVENTS_ITERATED_TWICE',
        message: 'Its events can be iterated only once. Await it for the result.',
      })
    }
    this.#hasReader = true
  }

  release(): void {
    this.#released = true
    this.#tellCaughtUp()
  }

  async *read(): AsyncGenerator<Event | DroppedEvents, undefined, undefined> {
    for (;;) {
      const next = this.#events.shift()
      if (next !== undefined) {
        this.#weight -= next.weight
        if (next.event === this.#dropped) this.#dropped = undefined
        yield next.event
      } else if (this.#state === 'open') {
        await this.#nextEvent()
      } else {
        if (this.#state !== 'ended') throw this.#state.error
        return
      }
    }
  }

  #add(event: Event | DroppedEvents, weight: number): void {
    this.#events.push({ event, weight })
    this.#weight += weight
    this.#wakeReader?.()
  }

  #drop(): void {
    if (this.#dropped === undefined) {
      this.#dropped = { type: 'events-dropped', count: 0 }
      this.#add(this.#dropped, eventWeight)
    }
    this.#dropped.count++
  }

  async #nextEvent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeReader = resolve
    this.#tellCaughtUp()
    await promise
    this.#wakeReader = undefined
  }

  #tellCaughtUp(): void {
    this.#caughtUp?.resolve()
    this.#caughtUp = undefined
  }
}
