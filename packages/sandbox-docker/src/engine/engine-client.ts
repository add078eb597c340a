import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import https from 'node:https'
import type { Duplex, Readable } from 'node:stream'
import { nodeHttp } from '@fenced/shared'
import type Modem from 'docker-modem'
import { EngineAnswerError, readAnswer, readRefusal } from './engine-answer.ts'
import { limitSilence } from './silence.ts'

/** What docker-modem hands over of a request that it has put together. */
type SendRequest = (
  options: RequestOptions,
  dialed: Modem.DialOptions,
  body: string | Buffer | Readable | undefined,
  callback: (error: unknown, result?: unknown) => void,
) => void

/** How requests are sent. */
interface EngineClientOptions {
  readonly protocol: 'http' | 'https'
  /** See `ConnectOptions.answerTimeoutMs`. */
  readonly answerTimeoutMs: number
}

/** What an engine gives for a request: a connection in both directions, an answer to be read, or what it says. */
type EngineResult = Duplex | IncomingMessage | unknown

/**
 * The HTTP client below dockerode, in place of docker-modem's: that one waits for an answer without a limit, reads a refusal of any
 * length, never ends the request of an exec that is refused, and hangs when a connection is lost in the middle of an answer.
 */
export function engineClient({ protocol, answerTimeoutMs }: EngineClientOptions): SendRequest {
  const { request: open } = protocol === 'https' ? https : nodeHttp()
  return (options, dialed, body, callback) => {
    const result = new Promise<EngineResult>((resolve, reject) => {
      const request = open(options)
      limitSilence(request, answerTimeoutMs)
      request.on('error', reject)
      request.once('upgrade', (_, connection, head) => {
        if (head.length > 0) connection.unshift(head)
        resolve(connection)
      })
      request.once('response', (response) => resolve(take(response, dialed)))
      send(request, body)
    })
    result.then(
      (value) => callback(null, value),
      (error) => callback(ofSignal(error, options.signal)),
    )
  }
}

function send(request: ClientRequest, body: string | Buffer | Readable | undefined): void {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    request.end(body)
    return
  }
  body.once('error', (error) => request.destroy(error)).pipe(request)
}

async function take(
  response: IncomingMessage,
  { isStream = false, statusCodes = {} }: Modem.DialOptions,
): Promise<EngineResult> {
  const { statusCode = 0 } = response
  if (statusCodes[statusCode] !== true) {
    throw new EngineAnswerError(statusCode, statusCodes[statusCode], await readRefusal(response))
  }
  return isStream ? response : readAnswer(response)
}

/** What a request fails with that was cancelled while its answer came says nothing. */
function ofSignal(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!signal?.aborted) return error
  return Object.assign(new Error('The request was aborted', { cause: signal.reason }), { name: 'AbortError' })
}
