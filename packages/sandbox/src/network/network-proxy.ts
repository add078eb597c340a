import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NetworkConnection } from '@fenced/core'
import { nodeHttp } from '@fenced/shared'
import type { NetworkGate } from './network-gate.ts'
import type { OutgoingConnection } from './outgoing-connection.ts'
import {
  type Destination,
  destinationOf,
  framingToPassOn,
  headersToPassOn,
  hostHeader,
  Refusal,
  targetOf,
} from './proxied-request.ts'
import { RequestQueue } from './request-queue.ts'
import type { HostSecrets } from './secrets/host-secrets.ts'
import type { NetworkSecrets } from './secrets/network-secrets.ts'
import { requireServerName, sniffProtocol } from './sniff-protocol.ts'
import { relayTls } from './tls-relay.ts'

/** Alerts of TLS (RFC 8446, 6): the name is not the right one; there is no TLS to be had. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112])
const handshakeFailure = Buffer.from([21, 3, 3, 0, 2, 2, 40])

/** How long a program may take to end a connection that was ended here, in milliseconds. */
const lingerMs = 10_000

/** What a program is connected to by CONNECT. */
interface Tunnel {
  readonly destination: Destination
  /** Made for it, and not used yet. */
  unused: OutgoingConnection | undefined
  /** Whether this process is the host for the program, by TLS. */
  readonly isSecure: boolean
}

/**
 * The proxy of a sandbox, for HTTP, and by CONNECT for TLS: it reads what programs ask for, and lets the gate decide. Plain HTTP is
 * written again when it is passed on, so that this proxy and the host read the same. So is what goes by TLS to a host that has secrets;
 * requests to other hosts are passed on unchanged.
 */
export class NetworkProxy {
  readonly #gate: NetworkGate
  readonly #secrets: NetworkSecrets | undefined
  /** It listens nowhere. */
  readonly #server = nodeHttp().createServer()
  readonly #tunnels = new WeakMap<Duplex, Tunnel>()
  readonly #queue = new RequestQueue((incoming, response) => this.#pass(incoming, response))
  #open = 0

  constructor(gate: NetworkGate, secrets?: NetworkSecrets) {
    this.#gate = gate
    this.#secrets = secrets
    this.#server.on('request', (incoming, response) => this.#queue.add(incoming, response))
    this.#server.on('connect', (incoming, program, head) => void this.#tunnel(incoming, program, head))
    this.#server.on('clientError', (_, program) =>
      endWith(program, answerOf(new Refusal(400, 'this is no HTTP'))),
    )
  }

  /** Serves a connection that a program made. One too many is closed. */
  serve(program: Duplex): void {
    if (this.#open >= this.#gate.maxConnections) {
      program.destroy()
      return
    }
    this.#open++
    program.once('close', () => this.#open--)
    this.#server.emit('connection', program)
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const program: Duplex = incoming.socket
    const tunnel = this.#tunnels.get(program)
    let connection: OutgoingConnection | undefined
    try {
      const { destination, path } = this.#read(() => targetOf(incoming, tunnel))
      const framing = this.#read(() => framingToPassOn(incoming, destination))
      connection = tunnel?.unused ?? (await this.#gate.connect(destination, program))
      if (tunnel !== undefined) tunnel.unused = undefined
      const isSecure = tunnel?.isSecure ?? false
      const secrets = this.#secrets?.for(isSecure ? 'https' : 'http', destination)
      const to = isSecure ? await this.#secrets?.toHost(connection.socket, destination) : connection.socket
      if (to === undefined) throw new Refusal(502, 'there is no secure connection')
      const written = [...hostHeader(destination, isSecure), ...framing]
      await forward({ incoming, response, connection, to, path, written, secrets })
    } catch (error) {
      if (response.headersSent) response.destroy()
      else refuse(response, error instanceof Refusal ? error : new Refusal(502, 'the host sent no answer'))
    } finally {
      connection?.end('allowed')
    }
  }

  async #tunnel({ url = '' }: IncomingMessage, program: Duplex, head: Buffer): Promise<void> {
    let connection: OutgoingConnection | undefined
    try {
      if (head.length > 0) program.unshift(head)
      const destination = this.#read(() => destinationOf(url))
      if (this.#tunnels.has(program))
        throw this.#refused(new Refusal(403, 'this connection is one to a host already', destination))
      connection = await this.#gate.connect(destination, program)
      program.write('HTTP/1.1 200 Connection established\r\n\r\n')
      const { data, hello } = await sniffProtocol(program)
      if (hello !== undefined) {
        requireServerName(hello, destination)
        if (this.#secrets?.for('https', destination) === undefined) await relayTls(program, connection, data)
        else await this.#serveSecurely(program, { destination, unused: connection, isSecure: true }, data)
      } else this.#serveTunnel(program, { destination, unused: connection, isSecure: false }, data)
    } catch (error) {
      if (!(error instanceof Refusal)) program.destroy()
      else endWith(program, connection === undefined ? answerOf(error) : alertOf(error))
      connection?.end(verdictOf(error), reasonOf(error))
    }
  }

  /** Plain HTTP by CONNECT. */
  #serveTunnel(program: Duplex, tunnel: Tunnel, data: Buffer): void {
    this.#tunnels.set(program, tunnel)
    program.once('close', () => tunnel.unused?.end('allowed'))
    program.unshift(data)
    this.#server.emit('connection', program)
    program.resume()
  }

  /** TLS with a host that has secrets. */
  async #serveSecurely(program: Duplex, tunnel: Tunnel, data: Buffer): Promise<void> {
    program.unshift(data)
    program.once('close', () => tunnel.unused?.end('allowed'))
    const secure = await this.#secrets?.asHost(program, tunnel.destination)
    if (secure === undefined) return
    this.#tunnels.set(secure, tunnel)
    this.#server.emit('connection', secure)
  }

  #read<Value>(read: () => Value): Value {
    try {
      return read()
    } catch (error) {
      throw error instanceof Refusal ? this.#refused(error) : error
    }
  }

  #refused(refusal: Refusal): Refusal {
    this.#gate.reportRefusal(refusal)
    return refusal
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly connection: OutgoingConnection
  /** It, or what goes through it. */
  readonly to: Duplex
  readonly path: string
  /** Headers of the request that the proxy writes. */
  readonly written: readonly string[]
  /** Of the host. */
  readonly secrets: HostSecrets | undefined
}

/** Passes a request on, and its answer back. Rejects when either is cut off. */
async function forward({ incoming, response, ...exchange }: Exchange): Promise<void> {
  const { connection, to, path, written, secrets } = exchange
  const headers = headersToPassOn(incoming.rawHeaders)
  const outgoing = nodeHttp().request({
    createConnection: () => to,
    ...{ method: incoming.method, path, setHost: false },
    headers: [...written, ...(secrets?.fill(headers) ?? headers), 'Connection', 'close'],
  })
  connection.count(to)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  outgoing.once('response', resolve).on('error', reject)
  outgoing.once('close', () => reject(new Error('The connection was closed.')))
  response.once('close', () => outgoing.destroy())
  // A host may answer before it has read everything.
  pipeline(incoming, outgoing).catch(reject)
  const answer = await promise
  secrets?.check(answer)
  const mask = (text: string) => secrets?.mask(text) ?? text
  const passed = headersToPassOn(answer.rawHeaders).map(mask)
  response.writeHead(answer.statusCode ?? 502, mask(answer.statusMessage ?? ''), passed)
  await (secrets === undefined ? pipeline(answer, response) : pipeline(answer, secrets.masking(), response))
}

/** What still comes is not taken, so that the end can be seen, and what does not end then is ended. */
function endWith(program: Duplex, last: string | Uint8Array): void {
  program.end(last)
  program.resume()
  const timer = setTimeout(() => program.destroy(), lingerMs).unref()
  program.once('close', () => clearTimeout(timer))
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, inOneLine(message), { 'Content-Type': 'text/plain', Connection: 'close' })
  response.end(bodyOf(message))
}

function answerOf({ status, message }: Refusal): string {
  const body = bodyOf(message)
  return [
    `HTTP/1.1 ${status} ${inOneLine(message)}`,
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    `\r\n${body}`,
  ].join('\r\n')
}

/** Most clients show only the status line. */
function inOneLine(message: string): string {
  return message.replace(/[^\x20-\x7e]/g, '?')
}

function bodyOf(message: string): string {
  return `Fenced: ${message}.\n`
}

/** 502 is the fault of the host. */
function alertOf({ status }: Refusal): Buffer {
  return status === 502 ? handshakeFailure : unrecognizedName
}

function verdictOf(error: unknown): NetworkConnection['verdict'] {
  if (!(error instanceof Refusal)) return 'allowed'
  return error.status === 502 ? 'failed' : 'refused'
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof Refusal ? error.message : undefined
}
