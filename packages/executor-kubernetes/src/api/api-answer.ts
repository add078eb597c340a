import type { IncomingMessage } from 'node:http'
import { shortened } from '@fenced/errors/text'
import type { WebSocket } from 'ws'
import { ApiAnswerError } from './api-error.ts'

/** How much of a refusal is read, in bytes: the rest says nothing more. */
const maxRefusalBytes = 16 * 1024

/** The longest answer, in bytes: a namespace with thousands of pods has a list of some megabytes. */
const maxAnswerBytes = 64 * 2 ** 20

/**
 * Reads an answer of an API server.
 *
 * @throws ApiAnswerError for a refusal, of which the beginning is read.
 * @throws Error when it is longer than an answer can be.
 */
export async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const status = response.statusCode ?? 0
  const isRefusal = status < 200 || status > 299
  const content = await contentOf(response, isRefusal)
  let answer: unknown
  try {
    answer = JSON.parse(content)
  } catch {
    throw new ApiAnswerError(status, {
      message: shortened(content, 500) || `it answered with ${status} only`,
    })
  }
  if (isRefusal) throw new ApiAnswerError(status, Object(answer))
  return answer
}

/** Waits until a websocket is open, and pauses it. */
export async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('open', () => {
    // Pause at once: bytes that arrive with the answer are otherwise read before the promise resolves.
    socket.pause()
    resolve()
  })
  socket.once('error', reject)
  socket.once('unexpected-response', (_, response: IncomingMessage) => {
    readAnswer(response).then(() => {
      reject(new ApiAnswerError(response.statusCode ?? 0, { message: 'it opened no websocket' }))
    }, reject)
  })
  await promise
  socket.off('error', reject)
}

async function contentOf(response: AsyncIterable<Buffer>, isRefusal: boolean): Promise<string> {
  const chunks: Buffer[] = []
  let byteCount = 0
  // To leave the loop early ends the connection.
  for await (const chunk of response) {
    chunks.push(chunk)
    byteCount += chunk.length
    if (isRefusal && byteCount >= maxRefusalBytes) break
    if (byteCount > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8', 0, isRefusal ? maxRefusalBytes : byteCount)
}
