import type { Readable } from 'node:stream'

/** What an engine tells while it pulls an image (Docker Engine API, "Create an image"). */
export interface EngineEvent {
  /** A layer's. */
  readonly id?: string
  readonly status?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
  /** The whole failed, although the HTTP status said that it went well. */
  readonly error?: string
}

/** The longest line, in characters: an event has some hundreds, or the words of a registry. */
const maxLineLength = 2 ** 20

/**
 * Reads the events as they come: a JSON text a line. dockerode's `followProgress` breaks characters that are cut by
 * the chunks they arrive in, and keeps every event to the end.
 *
 * @throws what the connection reports when it ends too early, and Error for a line that is longer than an event can be.
 */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<EngineEvent> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8') as Readable) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength)
      throw new Error(`it sent a line of more than ${maxLineLength} characters`)
    yield* lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as EngineEvent)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
