import { addAbortListener } from 'node:events'
import { Running } from '@fenced/core/internal'
import { type AgentEvent, createEvent, type EventInit } from '../event.ts'
import { WeighedEvents } from './weighed-events.ts'

/** What something that runs can do with its events, and when it is to end. */
export interface RunContext {
  /** Aborted by the caller's signal, and when the reader of the events leaves. */
  readonly signal: AbortSignal
  /** Adds an event. Wait for the promise, where one comes back: the reader is behind. */
  readonly emit: (event: EventInit) => void | Promise<void>
  /** Resolves when the reader has seen all events. */
  readonly drained: () => void | Promise<void>
}

/** Begins something at once that is awaited for its result and iterated for its events. */
export function runWithEvents<Result>(
  run: (context: RunContext) => Promise<Result>,
  signal?: AbortSignal,
): Running<Result, AgentEvent> {
  const events = new WeighedEvents()
  const left = new AbortController()
  const context: RunContext = {
    signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
    emit: (event) => events.push(createEvent(event)),
    drained: () => events.drained(),
  }
  return new Running({ result: toItsEnd(run, { context, events }), events, cancel: () => left.abort() })
}

async function toItsEnd<Result>(
  run: (context: RunContext) => Promise<Result>,
  { context, events }: { readonly context: RunContext; readonly events: WeighedEvents },
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
