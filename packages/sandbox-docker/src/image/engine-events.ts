import type { Readable } from 'node:stream'

/** What an engine tells while it pulls or builds (Docker Engine API, "Create an image" and "Build an image"). */
export interface EngineEvent {
  /** A layer's, or the kind of `aux`. */
  readonly id?: string
  readonly status?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
  /** A piece of a build's output, which may end within a line. */
  readonly stream?: string
  /** The whole failed, although the HTTP status said that it went well. */
  readonly error?: string
  readonly aux?: unknown
}

/**
 * Reads the events as they come: a JSON text a line. dockerode's `followProgress` breaks characters that are cut by
 * the chunks they arrive in, and keeps every event to the end.
 *
 * @throws what the connection reports when it ends too early.
 */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<EngineEvent> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8') as Readable) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as EngineEvent)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
