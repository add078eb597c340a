import type { IncomingMessage } from 'node:http'

/** How much of a refusal is read, in bytes: the rest says nothing more, and may be of a registry. */
const maxRefusalBytes = 16 * 1024

/** The longest answer that is read as a whole, in bytes: a list of thousands of containers has some megabytes. */
const maxAnswerBytes = 64 * 2 ** 20

/** An answer of an engine, or of something before it, that is a refusal. */
export class EngineAnswerError extends Error {
  readonly statusCode: number
  /** Whether it has the form that the API describes, or no content. A proxy answers with something else. */
  readonly isOfEngine: boolean

  /** @param meaning - of the status, as far as dockerode knows it. */
  constructor(statusCode: number, meaning: string | boolean | undefined, content: string) {
    const { message } = Object(parsed(content)) as { message?: unknown }
    const words = typeof message === 'string' ? message : content.trim()
    super(words || `it answered with HTTP status ${statusCode}${meaning ? ` (${meaning})` : ''}`)
    this.name = 'EngineAnswerError'
    this.statusCode = statusCode
    this.isOfEngine = typeof message === 'string' || content === ''
  }
}

/** The beginning of a refusal. */
export async function readRefusal(response: IncomingMessage): Promise<string> {
  const content = await contentOf(response, (byteCount) => byteCount < maxRefusalBytes)
  return content.toString('utf8', 0, maxRefusalBytes)
}

/**
 * What an engine says: a value, or bytes where it is no JSON.
 *
 * @throws Error when it is longer than an answer can be.
 */
export async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const content = await contentOf(response, (byteCount) => {
    if (byteCount > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`)
    return true
  })
  return parsed(content.toString()) || content
}

/** To leave the loop early ends the connection. */
async function contentOf(
  response: AsyncIterable<Buffer>,
  wantsMore: (byteCount: number) => boolean,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    byteCount += chunk.length
    if (!wantsMore(byteCount)) break
  }
  return Buffer.concat(chunks)
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
