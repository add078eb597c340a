import type { EventLog } from '../event-log.ts'

/** So often something is sent to a reader that has nothing to read, in milliseconds: a proxy ends what is silent. */
const heartbeatMs = 15_000

/** A message of a stream. */
export interface StreamedEvent {
  readonly id?: number
  /** Default `message`. */
  readonly type?: string
  readonly data: unknown
}

export interface EventSource {
  /** What a reader has not got yet; nothing where there is no more so far. */
  readonly read: () => readonly StreamedEvent[]
  /** Calls back when there is more. Returns what ends that. */
  readonly onChange: (callback: () => void) => () => void
  /** Of the request. */
  readonly signal: AbortSignal
}

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), with back pressure: unread events stay in
 * the log, not in memory.
 */
export function eventStream(source: EventSource): Response {
  return new Response(ReadableStream.from(chunks(source)) as ReadableStream<Uint8Array>, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    },
  })
}

async function* chunks({ read, onChange, signal }: EventSource): AsyncGenerator<Uint8Array> {
  let isChanged = true
  let wake = () => {}
  const change = () => {
    isChanged = true
    wake()
  }
  const end = onChange(change)
  signal.addEventListener('abort', change)
  const encoder = new TextEncoder()
  try {
    while (!signal.aborted) {
      isChanged = false
      const events = read()
      if (events.length > 0) {
        yield encoder.encode(events.map(lines).join(''))
        continue
      }
      if (!isChanged) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, heartbeatMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      if (!isChanged) yield encoder.encode(': \n\n')
    }
  } finally {
    end()
    signal.removeEventListener('abort', change)
  }
}

function lines({ id, type, data }: StreamedEvent): string {
  const head = [
    ...(id === undefined ? [] : [`id: ${id}\n`]),
    ...(type === undefined ? [] : [`event: ${type}\n`]),
  ]
  return `${head.join('')}data: ${JSON.stringify(data)}\n\n`
}

/** The list of conversations, at once and whenever it changes. */
export function listEvents(log: EventLog): Pick<EventSource, 'read' | 'onChange'> {
  let isNew = true
  return {
    read() {
      if (!isNew) return []
      isNew = false
      return [{ type: 'list', data: log.list() }]
    },
    onChange: (callback) =>
      log.onChange('list', () => {
        isNew = true
        callback()
      }),
  }
}
