import { addAbortListener } from 'node:events'
import { Running } from '@fenced/core/internal'
import { type DroppedEvents, WeighedEvents } from './weighed-events.ts'

/** What something that runs can do with its events, and when it is to end. */
export interface RunContext<Event> {
  /** Aborted by the caller's signal, and when the reader of the events leaves. */
  readonly signal: AbortSignal
  /** Wait for the promise, where one comes back: the reader is behind. */
  readonly emit: (event: Event) => void | Promise<void>
  /** Resolves when the reader has seen all events. */
  readonly drained: () => void | Promise<void>
}

/** What is to be run, and how much text its events hold. */
export interface RunParts<Event, Result> {
  readonly run: (context: RunContext<Event>) => Promise<Result>
  readonly lengthOf: (event: Event) => number
  readonly signal?: AbortSignal | undefined
}

/** Begins something at once that is awaited for its result and iterated for its events. */
export function runWithEvents<Event extends { readonly type: string }, Result>({
  run,
  lengthOf,
  signal,
}: RunParts<Event, Result>): Running<Result, Event | DroppedEvents> {
  const events = new WeighedEvents<Event>(lengthOf)
  const left = new AbortController()
  const context: RunContext<Event> = {
    signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
    emit: (event) => events.push(event),
    drained: () => events.drained(),
  }
  return new Running({ result: toItsEnd(run, { context, events }), events, cancel: () => left.abort() })
}

async function toItsEnd<Event extends { readonly type: string }, Result>(
  run: RunParts<Event, Result>['run'],
  { context, events }: { readonly context: RunContext<Event>; readonly events: WeighedEvents<Event> },
): Promise<Result> {
  // Whatever is being ended waits for no reader.
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
