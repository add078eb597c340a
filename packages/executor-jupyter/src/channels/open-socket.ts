import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { FencedError } from '@fenced/core'
import { afterTime } from '@fenced/shared'
import type { ClientOptions, WebSocket } from 'ws'
import { longestMessage } from '../protocol/incoming-message.ts'
import { binaryProtocol } from '../protocol/websocket-frames.ts'
import { type KeepingConnection, openUntilAborted } from '../server/open-connection.ts'
import type { ServerAddress } from '../server/server-address.ts'
import { kernelGone, refused, unreachable } from '../server/server-error.ts'

/** An open WebSocket whose life is watched. */
export interface OpenSocket {
  readonly socket: WebSocket
  /** Whether it keeps this process going. */
  setRef(keeps: boolean): void
}

export interface SocketListener {
  /** It is open; what the server has sent with its answer comes at once behind this call. */
  opened?(): void
  message(data: Buffer, isBinary: boolean, protocol: string): void
  /** It was open and is closed, by either side. */
  closed(): void
}

export interface SocketOptions {
  readonly address: ServerAddress
  readonly keepAliveMs: number
  /** How long the server may take to agree to it. */
  readonly timeoutMs: number
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

/** Resolves when the connection is open; rejects with a `FencedError` when it does not come about. */
export async function openSocket(
  url: URL,
  { address, keepAliveMs, timeoutMs, signal: given }: SocketOptions,
  listener: SocketListener,
): Promise<OpenSocket> {
  // Loads Node's HTTP and TLS, too.
  const { WebSocket } = await import('ws')
  const limit = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([given, limit])
  const socket = new WebSocket(url, [binaryProtocol], {
    headers: address.headers,
    ...(await socketOptions(address, signal)),
    maxPayload: longestMessage,
    perMessageDeflate: false,
  })
  const giveUp = () => socket.terminate()
  signal.addEventListener('abort', giveUp, { once: true })
  return new Promise<OpenSocket>((resolve, reject) => {
    let connection: (Readable & KeepingConnection) | undefined
    socket.on('upgrade', (response) => {
      connection = response.socket
    })
    let failure: FencedError | undefined
    socket.on('unexpected-response', (_, response) => {
      const status = response.statusCode ?? 0
      failure = status === 404 ? kernelGone(address.url) : refused(address, status, '')
      socket.terminate()
    })
    socket.on('error', (error) => {
      failure ??= unreachable(address.url, given.aborted || !limit.aborted ? error : late(timeoutMs))
      reject(failure)
    })
    socket.on('open', () => {
      listener.opened?.()
      const stopWatching = keepAlive(socket, connection, keepAliveMs)
      socket.on('close', () => {
        stopWatching()
        listener.closed()
      })
      resolve({ socket, setRef: (keeps) => void connection?.[keeps ? 'ref' : 'unref']?.() })
    })
    const acknowledge = acknowledging(socket)
    socket.on('message', (data, isBinary) => {
      acknowledge()
      listener.message(data as Buffer, isBinary, socket.protocol)
    })
    if (signal.aborted) giveUp()
  }).finally(() => signal.removeEventListener('abort', giveUp))
}

/** How ws connects to it. */
async function socketOptions({ url, open, ca }: ServerAddress, signal: AbortSignal): Promise<ClientOptions> {
  if (open === undefined) return ca === undefined ? {} : { ca }
  try {
    const connection = await openUntilAborted(open, signal)
    // Of a socket ws uses what every Duplex has.
    return { createConnection: () => connection as Socket }
  } catch (error) {
    throw unreachable(url, error)
  }
}

function late(timeoutMs: number): Error {
  return new Error(`it did not agree to a connection within ${timeoutMs} ms`)
}

/**
 * Acknowledges small messages at once. Jupyter servers use Nagle's algorithm: the second small message waits for the acknowledgement of
 * the first, which a system delays by 40 ms unless it sends data. An unsolicited pong is such data and needs no answer
 * (RFC 6455 §5.5.3).
 */
function acknowledging(socket: WebSocket): () => void {
  let isDue = false
  const send = () => {
    isDue = false
    if (socket.readyState === socket.OPEN) socket.pong()
  }
  return () => {
    if (isDue) return
    isDue = true
    setImmediate(send)
  }
}

/** Sends pings, and ends the connection when nothing comes after one of them: the answer may be behind a long message. */
function keepAlive(socket: WebSocket, connection: Readable | undefined, everyMs: number): () => void {
  let isAlive = true
  connection?.on('data', () => {
    isAlive = true
  })
  const look = () => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }
  // What has arrived meanwhile is read first.
  const timer = setInterval(() => afterTime(0, look), everyMs).unref()
  return () => clearInterval(timer)
}
