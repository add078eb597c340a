import { useEffect, useState, useSyncExternalStore } from 'react'
import { type ConversationSummary, type LoggedEvent, path } from './api.ts'
import { ConversationView } from './view.ts'

/** How long the page waits before it connects again where the browser does not, in milliseconds. */
const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** Between two drawings, in milliseconds. */
const drawMs = 33

/** A conversation is first drawn when no event has come for so long, and at the latest after the longer time, in milliseconds. */
const quietMs = 25
const longestQuietMs = 500

/** What one connection to the server brings: a conversation as its events come, and the list of all of them. */
class Events {
  readonly id: string | undefined
  readonly view = new ConversationView()
  list: readonly ConversationSummary[] | undefined
  /** Whether the server answers. */
  isOpen = true
  #version = 0
  #isWaiting = false
  #isDrawn = false
  #drawnAt = 0
  #quiet: ReturnType<typeof setTimeout> | undefined
  #firstDraw: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()
  #source: EventSource
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitMs = firstWaitMs
  /** Sequence number of the last event. */
  #last = 0

  constructor(id: string | undefined) {
    this.id = id
    this.#source = this.#connect()
  }

  #connect(): EventSource {
    const { id } = this
    const source = new EventSource(
      id === undefined ? '/api/list' : `${path(id)}/events?batch&after=${this.#last}`,
    )
    source.onopen = () => {
      this.#waitMs = firstWaitMs
      this.#set(true)
    }
    source.onerror = () => {
      this.#set(false)
      // The browser reconnects automatically, and names the last event that it has; but not after an answer such as 502.
      if (source.readyState === EventSource.CLOSED) this.#connectLater()
    }
    source.addEventListener('events', ({ data }) => {
      for (const event of JSON.parse(data) as LoggedEvent[]) {
        this.#last = event.seq
        this.view.take(event)
      }
      this.#changed()
    })
    source.addEventListener('list', ({ data }) => {
      this.list = JSON.parse(data) as ConversationSummary[]
      this.#changed()
    })
    return source
  }

  #connectLater(): void {
    this.#timer = setTimeout(() => {
      this.#source = this.#connect()
    }, this.#waitMs)
    this.#waitMs = Math.min(2 * this.#waitMs, longestWaitMs)
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly version = () => this.#version

  close(): void {
    for (const timer of [this.#timer, this.#quiet, this.#firstDraw]) clearTimeout(timer)
    this.#source.close()
  }

  #set(isOpen: boolean): void {
    this.isOpen = isOpen
    this.#changed()
  }

  /** The events that a conversation has already are drawn together. */
  #changed(): void {
    if (this.#isDrawn) {
      this.#draw()
      return
    }
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#drawFirst(), quietMs)
    this.#firstDraw ??= setTimeout(() => this.#drawFirst(), longestQuietMs)
  }

  #drawFirst(): void {
    clearTimeout(this.#quiet)
    clearTimeout(this.#firstDraw)
    this.#isDrawn = true
    this.#draw()
  }

  /** Drawn at most 30 times a second, so that keys have their time while output floods. */
  #draw(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const draw = () => {
      this.#isWaiting = false
      this.#drawnAt = performance.now()
      this.#version++
      for (const listener of this.#listeners) listener()
    }
    const restMs = this.#drawnAt + drawMs - performance.now()
    // A page in the background gets no animation frames.
    if (document.hidden) setTimeout(draw, 200)
    else if (restMs <= 0) requestAnimationFrame(draw)
    else setTimeout(() => requestAnimationFrame(draw), restMs)
  }
}

/** What is known of a conversation and of the list; drawn again whenever it changes. */
export interface Shown {
  readonly view: ConversationView
  readonly list: readonly ConversationSummary[] | undefined
  readonly isOpen: boolean
  /** Changes with everything above. */
  readonly version: number
}

export function useEvents(id: string | undefined): Shown | undefined {
  const [events, setEvents] = useState<Events>()
  useEffect(() => {
    const made = new Events(id)
    setEvents(made)
    return () => made.close()
  }, [id])
  const version = useSyncExternalStore(events?.subscribe ?? never, events?.version ?? zero)
  // Those of another conversation are there until the next connection is made.
  if (events === undefined || events.id !== id) return undefined
  const { view, list, isOpen } = events
  return { view, list, isOpen, version }
}

const never = () => () => {}
const zero = () => 0
