import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorMessage } from '@fenced/errors'
import { visible } from '@fenced/errors/text'
import { nodeHttp } from './builtin-modules.ts'

/** Handles a request, whose `url` is a path with its query. An error is answered with status 500. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Serves HTTP on 127.0.0.1. No request ends the process, even one with an invalid target or body, and no response has more or fewer
 * bytes than its `Content-Length`.
 *
 * @throws The error of the system if the port cannot be used.
 */
export async function listenOnLoopback(handle: HandleRequest, port: number): Promise<Server> {
  const { createServer } = nodeHttp()
  const server = createServer((request, response) => void answer(handle, request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  // A connection that cannot be accepted does not affect the others.
  server.on('error', reportFailure)
  return server
}

async function answer(
  handle: HandleRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // An error event without a listener would end the process.
  request.on('error', () => {})
  response.on('error', () => {})
  response.strictContentLength = true
  // Node counts no byte of a response whose client has left.
  response.once('close', () => {
    response.strictContentLength = false
  })
  const target = targetOf(request)
  if (target === undefined) return refuse(response, 400, 'The target of the request is not a path.')
  // The Fetch API, which both servers use, has no such request.
  if (request.method === 'TRACE') return refuse(response, 405, 'The method TRACE is not supported.')
  request.url = target
  try {
    await handle(request, response)
  } catch (error) {
    if (!response.destroyed) reportFailure(error)
    refuse(response, 500, 'The server failed.')
  }
}

/** The path and query of a request, also of one with an absolute target (RFC 9112, 3.2). */
function targetOf({ url = '', headers: { host = '' } }: IncomingMessage): string | undefined {
  if (url.startsWith('/')) return url
  const target = /^https?:/i.test(url) ? URL.parse(url) : null
  return target?.host === host.toLowerCase() ? target.pathname + target.search : undefined
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    // The client must not take a part for the whole.
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response
    .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
    .end(JSON.stringify({ message }))
}

/** Reports the cause of an answer with status 500 as a warning of the process. The client must not see it. */
export function reportFailure(error: unknown): void {
  const detail = error instanceof Error ? visible(error.stack ?? '') : ''
  process.emitWarning(visible(`A request failed: ${errorMessage(error)}`), { type: 'FencedWarning', detail })
}
