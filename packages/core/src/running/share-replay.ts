import { FencedError } from '@fenced/errors'
import { knownOptions } from '../options/known-options.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { Notice } from '../vocabulary/code-result.ts'
import { z } from '../zod.ts'
import { sizeOfData } from './size-of-data.ts'

/** Options for {@link shareReplay}. */
export interface ShareReplayOptions {
  /**
   * Memory limit for stored events, in bytes. Beyond it, the oldest and the newest events are kept, half each. The last event is
   * always kept.
   *
   * @default 67_108_864
   */
  readonly maxBytes?: number | undefined
}

/** An event in place of events that were left out. */
export interface ReplayGap {
  /** Discriminator, the same as for notices in runs. */
  readonly type: 'notice'
  /** Notice `live-output-dropped`. */
  readonly notice: Notice
}

/** Options for {@link SharedReplay.entries}. */
export interface EntriesOptions {
  /**
   * ID of the last event that the reader has already received: 0 or a whole number. Other numbers are refused
   * (`INVALID_OPTIONS`).
   *
   * @default 0: the reader receives all events from the first one
   */
  readonly after?: number | undefined
  /** Ends this reader's loop, as `break` does. The run continues. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A run that any number of readers can follow. Each reads from the first event or from after a given event ID, which suits two
 * pages that show the same run, or a client that reconnects. Await it for the result. Readers can leave without affecting the
 * run; {@link cancel} ends it.
 */
export class SharedReplay<Result, Event> implements PromiseLike<Result>, AsyncIterable<Event | ReplayGap> {
  readonly #running: PromiseLike<Result>
  readonly #kept: KeptEvents<Event>
  readonly #iterator: AsyncIterator<Event>
  #end: { readonly error?: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  constructor(running: PromiseLike<Result> & AsyncIterable<Event>, maxBytes: number) {
    this.#running = running
    this.#kept = new KeptEvents(maxBytes)
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

  /** Yields all stored events, from the first one. Throws the error that the run fails with. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event | ReplayGap, undefined, undefined> {
    for await (const [, event] of this.entries()) yield event
  }

  /**
   * Yields events with their IDs, which count from 1: `for await (const [id, event] of shared.entries({ after: 17 }))`. A
   * {@link ReplayGap} has the ID of the last event that it replaces.
   *
   * @throws FencedError `INVALID_OPTIONS` if `after` is not a valid ID, and for an unknown option.
   */
  async *entries(
    options: EntriesOptions = {},
  ): AsyncGenerator<readonly [id: number, event: Event | ReplayGap], undefined, undefined> {
    const { after = 0, signal } = knownOptions(options, { after: true, signal: true }, 'entries()')
    if (!Number.isSafeInteger(after) || after < 0) throw noId(after)
    const left = Promise.withResolvers<void>()
    const leave = () => left.resolve()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      for (let read = after; signal?.aborted !== true; ) {
        const entry = this.#kept.behind(read)
        if (entry !== undefined) {
          read = entry[0]
          yield entry
        } else if (this.#end === undefined) await Promise.race([this.#changed.promise, left.promise])
        else if ('error' in this.#end) throw this.#end.error
        else return
      }
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Ends the run and its readers' loops early. Resolves when the run has stopped. */
  async cancel(): Promise<void> {
    await this.#iterator.return?.()
  }

  /** Reads without waiting for readers: a slow reader does not delay the run. */
  async #keep(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#iterator.next()
        if (done === true) break
        this.#kept.add(value)
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

/** The first and the newest events of a run, by id. */
class KeptEvents<Event> {
  readonly #halfBytes: number
  readonly #first: Event[] = []
  readonly #newest = new Map<number, { readonly event: Event; readonly sizeBytes: number }>()
  #firstBytes = 0
  #newestBytes = 0
  #lastId = 0
  /** Id of the oldest event among the newest. */
  #oldestId = 0

  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2
  }

  add(event: Event): void {
    const sizeBytes = sizeOfData(event)
    this.#lastId++
    if (this.#newest.size === 0 && this.#firstBytes + sizeBytes <= this.#halfBytes) {
      this.#first.push(event)
      this.#firstBytes += sizeBytes
      return
    }
    if (this.#newest.size === 0) this.#oldestId = this.#lastId
    this.#newest.set(this.#lastId, { event, sizeBytes })
    this.#newestBytes += sizeBytes
    while (this.#newestBytes > this.#halfBytes && this.#oldestId < this.#lastId) this.#dropOldest()
  }

  /** Returns the event after this id, or the gap there; `undefined` before the next event. */
  behind(id: number): readonly [id: number, event: Event | ReplayGap] | undefined {
    const next = id + 1
    if (next > this.#lastId) return undefined
    if (next <= this.#first.length) return [next, this.#first[id] as Event]
    const kept = this.#newest.get(next)
    return kept === undefined ? [this.#oldestId - 1, gap(next, this.#oldestId - 1)] : [next, kept.event]
  }

  #dropOldest(): void {
    this.#newestBytes -= this.#newest.get(this.#oldestId)?.sizeBytes ?? 0
    this.#newest.delete(this.#oldestId++)
  }
}

function gap(firstId: number, lastId: number): ReplayGap {
  const count = lastId - firstId + 1
  return {
    type: 'notice',
    notice: {
      code: 'live-output-dropped',
      message: `${count} events were left out because more events arrived than Fenced keeps for later readers. The result has a separate limit.`,
      data: { count: `${count}` },
    },
  }
}

function noId(after: number): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`after\` must be an event id, but is ${after}. Pass the last id that the reader received, or leave it out.`,
    data: { option: 'after', value: `${after}` },
  })
}

const optionsSchema = z.strictObject({
  maxBytes: z
    .int()
    .min(1)
    .default(64 * 2 ** 20),
})

/**
 * Lets any number of readers iterate a run: an execution, a conversation, a task. The returned object stores the events, up to
 * `maxBytes`. Beyond that, it keeps the first and the newest events, and a {@link ReplayGap} replaces the others. A reader that
 * keeps up receives every event.
 *
 * @param running - A run that has not been iterated yet.
 * @throws FencedError `INVALID_OPTIONS`; `EXECUTION_ITERATED_TWICE` or `EVENTS_ITERATED_TWICE` if the run was already iterated.
 * @example
 * const run = shareReplay(executor.execute(blocks))
 * for await (const [id, event] of run.entries({ after: Number(request.headers['last-event-id'] ?? 0) })) send(id, event)
 */
export function shareReplay<Result, Event>(
  running: PromiseLike<Result> & AsyncIterable<Event>,
  options: ShareReplayOptions = {},
): SharedReplay<Result, Event> {
  const { maxBytes } = parseOptions(optionsSchema, options, 'shareReplay')
  return new SharedReplay(running, maxBytes)
}
