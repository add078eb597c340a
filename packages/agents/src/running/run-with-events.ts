import { addAbortListener } from 'node:events'
import { EventBuffer, Running } from '@fenced/core/internal'
import { anySignal } from '@fenced/shared'
import { type AgentEvent, createEvent, type EventInit, type EventOf, textLength } from '../event.ts'
import type { GivenAnswers } from './questions.ts'

export interface RunContext {
  /** Aborted by the caller's signal, by `cancel`, and when the reader of the events leaves. */
  readonly signal: AbortSignal
  /** Adds an event. Wait for the promise, where one comes back: the reader is behind. */
  readonly emit: (event: EventInit) => void | Promise<void>
  /** Resolves when the reader has seen all events. */
  readonly drained: () => void | Promise<void>
  /** Answers to its questions that are known before, and whether the others end it. Absent where they are asked. */
  readonly given?: GivenAnswers | undefined
}

/** Begins something at once that is awaited for its result and iterated for its events. */
export function runWithEvents<Result>(
  run: (context: RunContext) => Promise<Result>,
  signal?: AbortSignal,
): Running<Result, AgentEvent> {
  const events = new WeighedEvents()
  const cancelled = new AbortController()
  const context: RunContext = {
    signal: signal === undefined ? cancelled.signal : anySignal([signal, cancelled.signal]),
    emit: (event) => events.push(createEvent(event)),
    drained: () => events.drained(),
  }
  const result = runToEnd(run, { context, events })
  return new Running({ result, events, cancel: (reason) => cancelled.abort(reason) })
}

async function runToEnd<Result>(
  run: (context: RunContext) => Promise<Result>,
  { context, events }: { readonly context: RunContext; readonly events: WeighedEvents },
): Promise<Result> {
  // Does not wait for a reader once the run is being ended.
  using _release = addAbortListener(context.signal, () => events.release())
  try {
    const result = await run(context)
    events.end()
    return result
  } catch (error) {
    events.fail(error)
    throw error
  }
}

/** How much waits for a reader, in UTF-16 code units; an event weighs a little even when it holds no text. */
const capacity = 4 * 1024 * 1024
const eventWeight = 256

/**
 * Events on their way to the reader. Without a reader, a bounded number is kept; a slow reader applies back pressure.
 */
class WeighedEvents extends EventBuffer<AgentEvent> {
  #weight = 0
  #dropped: EventOf<'events-dropped'> | undefined
  #caughtUp: PromiseWithResolvers<void> | undefined

  constructor() {
    super({
      code: 'EVENTS_ITERATED_TWICE',
      message: 'The events of a run can be iterated only once. Await the run to get its result.',
    })
  }

  /** A promise is returned while the reader is far behind. */
  push(event: AgentEvent): void | Promise<void> {
    if (!this.hasReader && this.#weight > capacity) return this.#drop()
    this.#dropped = undefined
    this.#weight += weightOf(event)
    this.add(event)
    if (this.#weight > capacity) return this.drained()
  }

  /** Resolves when the reader has processed all events and requests the next one; immediately without a reader. */
  drained(): void | Promise<void> {
    if (!this.mayHoldBack || this.isCaughtUp) return
    this.#caughtUp ??= Promise.withResolvers()
    return this.#caughtUp.promise
  }

  override release(): void {
    super.release()
    this.onCaughtUp()
  }

  protected override onRead(event: AgentEvent): void {
    this.#weight -= weightOf(event)
    if (event === this.#dropped) this.#dropped = undefined
  }

  protected override onCaughtUp(): void {
    this.#caughtUp?.resolve()
    this.#caughtUp = undefined
  }

  #drop(): void {
    if (this.#dropped === undefined) {
      this.#dropped = createEvent({ type: 'events-dropped', agent: '', count: 0 })
      this.#weight += eventWeight
      this.add(this.#dropped)
    }
    this.#dropped.count++
  }
}

function weightOf(event: AgentEvent): number {
  return eventWeight + textLength(event)
}

/** How long turns without I/O may keep the event loop, in milliseconds. */
const longestMs = 10

let lastLetGo = performance.now()

/**
 * Takes one turn after another until a turn has an end: the loop of every run. What a turn is, and when there is no further one, is
 * decided by a conversation, a team, or an agent that tries again.
 *
 * @throws the signal's reason; what a turn throws.
 */
export async function takeTurns<End>(
  signal: AbortSignal,
  turn: () => Promise<End | undefined>,
): Promise<End> {
  for (;;) {
    await letOthersRun()
    signal.throwIfAborted()
    const end = await turn()
    if (end !== undefined) return end
  }
}

/**
 * Lets timers and I/O of the process happen. Agents that do no I/O wait for promises only, and would keep the event loop until their run
 * ends.
 */
export function letOthersRun(): void | Promise<void> {
  if (performance.now() - lastLetGo < longestMs) return
  return new Promise((resolve) =>
    setImmediate(() => {
      lastLetGo = performance.now()
      resolve()
    }),
  )
}
