import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage } from '@fenced/errors'
import { type HandleRequest, listenOnLoopback } from '@fenced/shared'
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { UserError } from '../user-error.ts'

/** What a client may send at a time, in bytes: a file of a mebibyte as base64 in JSON, and more. */
const largestRequest = 4 * 2 ** 20

/** How much of a body is discarded before its connection is closed, as a multiple of what may be sent. */
const discarded = 16

/** A server that answers. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string
  readonly token: string
}

interface HttpOptions {
  readonly port: number
  readonly token?: string | undefined
  readonly allowedHosts?: readonly string[] | undefined
}

/**
 * Serves MCP over streamable HTTP on the loopback of this machine, to clients with the token. Requests from pages of other sites
 * are refused by their `Host` and `Origin`.
 *
 * @param options - `token`: at least 16 characters. Default: a random token. `allowedHosts`: further names that clients may call it by.
 * @throws UserError when the port is taken, or the token is short.
 */
export async function serveHttp(
  factory: () => McpServer,
  { port, token = randomBytes(24).toString('base64url'), allowedHosts = [] }: HttpOptions,
): Promise<HttpServer> {
  if (token.length < 16) throw new UserError('FENCED_MCP_TOKEN must have at least 16 characters.')
  const handler = createMcpHandler(factory, { maxRequestBodySize: largestRequest })
  const handle = toNodeHandler(handler)
  const names = ['localhost', '127.0.0.1', '[::1]', ...allowedHosts]
  const [isKnownHost, isKnownOrigin] = [hostHeaderValidation(names), originValidation(names)]
  const respond: HandleRequest = (request, response) => {
    if (!isKnownHost(request, response) || !isKnownOrigin(request, response)) return
    if (!isAuthorized(request, token)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end('The token is missing or wrong.\n')
      return
    }
    if (request.url?.split('?', 1)[0] !== '/mcp') {
      response.writeHead(404).end('MCP is at /mcp.\n')
      return
    }
    return answer(request, response)
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The handler does not accept `undefined` (exactOptionalPropertyTypes).
    const known = request as Parameters<typeof handle>[0]
    if (request.method !== 'POST') return handle(known, response)
    const body = await readBody(request, largestRequest)
    if (body === undefined)
      return refuse(response, 413, -32_000, `A request is ${largestRequest / 2 ** 20} MiB at most.`)
    const message = jsonOf(body)
    if (message === undefined) return refuse(response, 400, -32_700, 'The request is not JSON.')
    return handle(known, response, message)
  }
  const server = await listenOnLoopback(respond, port).catch((error: unknown) => {
    throw new UserError(`Port ${port} cannot be listened on: ${errorMessage(error)}`)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token,
    async [Symbol.asyncDispose]() {
      await handler.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Reads a request to its end. What is beyond `maxBytes` is discarded: a client that is answered while it sends sees a reset
 * connection in place of the answer.
 *
 * @returns the body, or `undefined` where it is too large.
 */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
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

/** An answer of JSON-RPC to a request that has no message. */
function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
