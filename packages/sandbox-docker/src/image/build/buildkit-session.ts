import { randomUUID } from 'node:crypto'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import type { Login } from '../registry/logins.ts'
import { asText, readFields, textField } from './protobuf.ts'

/** A connection over which BuildKit asks us things while it builds. It pulls no base image without one. */
export interface BuildkitSession extends Disposable {
  readonly id: string
}

export interface SessionOptions {
  readonly signal: AbortSignal
  /** The login for a registry's host. */
  findLogin(host: string): Promise<Login | undefined>
}

/**
 * Opens a session (moby/buildkit, `session`): the engine turns the connection around and is then the client of the
 * gRPC services that we offer. dockerode's own gives every registry the same password, does not answer BuildKit's
 * question whether it is still alive, and stays open when a build is cancelled.
 */
export async function openBuildkitSession(docker: Docker, options: SessionOptions): Promise<BuildkitSession> {
  const id = randomUUID()
  const socket = await connect(docker, id, options.signal)
  const session = performServerHandshake(socket)
  // The end of the build tells more than the end of this connection.
  session.on('error', () => {})
  socket.on('error', () => {})
  session.on('stream', (stream, headers) => {
    answer(stream, headers[':path'], options).catch(() => stream.close())
  })
  return { id, [Symbol.dispose]: () => socket.destroy() }
}

function connect(docker: Docker, id: string, signal: AbortSignal): Promise<Duplex> {
  const request = {
    path: '/session',
    method: 'POST',
    hijack: true,
    headers: { Upgrade: 'h2c', 'X-Docker-Expose-Session-Uuid': id, 'X-Docker-Expose-Session-Name': 'fenced' },
    statusCodes: {},
    abortSignal: signal,
  }
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: Error | null, socket: unknown) =>
      error === null ? resolve(socket as Duplex) : reject(error),
    )
  })
}

async function answer(
  stream: ServerHttp2Stream,
  method: string | undefined,
  { findLogin }: SessionOptions,
): Promise<void> {
  stream.on('error', () => {})
  const request = Buffer.concat(await stream.toArray()).subarray(framePrefix)
  if (method === '/grpc.health.v1.Health/Check') return reply(stream, Buffer.from([8, serving]))
  if (method !== '/moby.filesync.v1.Auth/Credentials') return reply(stream, undefined)
  const host = [...readFields(request)].find(([field]) => field === 1)?.[1]
  const { username = '', password = '', identitytoken } = (await findLogin(asText(host))) ?? {}
  reply(stream, Buffer.concat([textField(1, username), textField(2, identitytoken ?? password)]))
}

/** In front of every gRPC message: whether it is compressed, and its length as four bytes. */
const framePrefix = 5
/** HealthCheckResponse.ServingStatus.SERVING */
const serving = 1
/** The gRPC status for a method that is not offered: BuildKit then goes on without it. */
const unimplemented = '12'

function reply(stream: ServerHttp2Stream, message: Buffer | undefined): void {
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': message === undefined ? unimplemented : '0' }),
  )
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  if (message === undefined) return void stream.end()
  const prefix = Buffer.alloc(framePrefix)
  prefix.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([prefix, message]))
}
