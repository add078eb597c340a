import type { IncomingMessage } from 'node:http'

/** How much of a body is discarded before its connection is closed, as a multiple of what may be sent. */
const discarded = 16

/**
 * Reads a request to its end. What is beyond `maxBytes` is discarded: a client that is answered while it sends sees a reset
 * connection in place of the answer.
 *
 * @returns the body, or `undefined` where it is too large.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let received = 0
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
    if (received > discarded * maxBytes) request.destroy()
  })
  request.once('end', () => resolve(received > maxBytes ? undefined : Buffer.concat(chunks)))
  request.once('close', () => reject(new Error('The client closed the connection.')))
  request.once('error', reject)
  return promise
}
