import type { Readable } from 'node:stream'
import { z } from '@fenced/core/zod'
import { shortened } from '@fenced/errors/text'

const optionalText = z.string().optional().catch(undefined)
const optionalNumber = z.number().optional().catch(undefined)

/** Fields of another type are left out. */
const eventSchema = z.object({
  id: optionalText,
  status: optionalText,
  progressDetail: z.object({ current: optionalNumber, total: optionalNumber }).optional().catch(undefined),
  /** Why the whole pull failed. The HTTP status is 200 nevertheless. */
  error: optionalText,
})

/** An event that an engine sends while it pulls an image (Docker Engine API, "Create an image"). */
export type EngineEvent = z.infer<typeof eventSchema>

/** Maximum length of a line, in characters. Usual events have hundreds; an error has the text of a registry. */
const maxLineLength = 2 ** 20

/**
 * Yields the events of a stream that has one JSON text per line. dockerode's `followProgress` breaks characters at the
 * boundaries of chunks, and keeps all events in memory.
 *
 * @throws the error of the connection, and Error for a line that is too long or not an event.
 */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<EngineEvent> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8') as Readable) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength)
      throw new Error(`it sent a line of more than ${maxLineLength} characters`)
    yield* lines.filter((line) => line.trim() !== '').map(parseEvent)
  }
  if (rest.trim() !== '') yield parseEvent(rest)
}

function parseEvent(line: string): EngineEvent {
  try {
    return eventSchema.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`it sent a line that is not an event: ${shortened(line, 200)}`, { cause })
  }
}
