import type { Duplex } from 'node:stream'
import Modem from 'docker-modem'
import Docker from 'dockerode'
import type { EngineConnection } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { engineClient } from './engine-client.ts'
import { type Failure, Fault, faultOf } from './fault.ts'
import { findEndpoints } from './find-endpoints.ts'
import { type ConnectOptions, type HostEnvironment, hostEnvironment } from './host-environment.ts'
import { type EngineInfo, ping } from './ping.ts'
import { openTransport, type Transport } from './transport.ts'
import { unreachable } from './unreachable.ts'

/** A Docker engine that has answered, as the parts of this package see it. */
export interface EngineAccess {
  readonly docker: Docker
  readonly endpoint: Endpoint
  readonly info: EngineInfo
  /** Where it was looked for. */
  readonly host: HostEnvironment
  /** Opens a separate connection, for a program that uses the engine directly. Its error says why it could not be opened. */
  connect(): Duplex
  /** Ends requests that are under way and connections kept for the next ones; what an exec took over is its owner's. */
  close(): void
}

/**
 * Finds the engine as docker's CLI does, and checks that it answers. If an engine is named (by the option,
 * `DOCKER_HOST` or the docker context), no other engine is used.
 *
 * @throws FencedError `INVALID_OPTIONS` when `connection` is malformed; `ENGINE_UNREACHABLE` with every address that was
 * tried, why it cannot be used and what to type next, also when DOCKER_HOST or docker's own configuration is broken.
 * @throws the signal's reason when it is aborted.
 */
export async function connectEngine(
  connection: EngineConnection | undefined,
  { signal, timeoutMs, answerTimeoutMs, ...given }: ConnectOptions = {},
): Promise<EngineAccess> {
  signal?.throwIfAborted()
  const host = { ...hostEnvironment(), ...given }
  const { endpoints, named } = await findEndpoints(connection, host)
  const failures: Failure[] = []
  for (const endpoint of endpoints) {
    try {
      return await connectTo(endpoint, host, { signal, timeoutMs, answerTimeoutMs })
    } catch (error) {
      signal?.throwIfAborted()
      failures.push({ endpoint, fault: faultOf(error) })
    }
  }
  throw unreachable(failures, named, host)
}

async function connectTo(
  endpoint: Endpoint,
  host: HostEnvironment,
  { signal, timeoutMs, answerTimeoutMs = 60_000 }: Omit<ConnectOptions, keyof HostEnvironment>,
): Promise<EngineAccess> {
  const transport = openTransport(endpoint, host)
  // docker's CLI gives ssh as long.
  const limitMs = timeoutMs ?? (endpoint.address.startsWith('ssh:') ? 30_000 : 10_000)
  const limit = AbortSignal.timeout(limitMs)
  const close = () => transport.agent.destroy()
  try {
    const info = await ping(transport, AbortSignal.any(signal === undefined ? [limit] : [limit, signal]))
    const { connect } = transport
    const docker = dockerodeOver(transport, answerTimeoutMs)
    return { docker, endpoint, info, host, connect, close }
  } catch (error) {
    close()
    throw limit.aborted ? noAnswer(limitMs, error) : error
  }
}

function noAnswer(limitMs: number, cause: unknown): Fault {
  const words = `no answer within ${limitMs / 1_000} seconds`
  return new Fault('silent', words, { cause, data: { limitMs: String(limitMs) } })
}

/**
 * A dockerode with the given transport. docker-modem's constructor reads `DOCKER_HOST`, lets it win over a
 * `socketPath`, and throws for errors in it and in `DOCKER_CERT_PATH`. So the constructor is not called: it would set
 * the fields of the transport, and these two. Requests are sent by our client.
 *
 * @param answerTimeoutMs - see `ConnectOptions`.
 */
export function dockerodeOver({ connect: _, ...transport }: Transport, answerTimeoutMs: number): Docker {
  const modem: Modem = Object.assign(Object.create(Modem.prototype), transport, {
    headers: {},
    sshOptions: {},
    buildRequest: engineClient({ protocol: transport.protocol, answerTimeoutMs }),
  })
  const options: { readonly modem: Modem } = { modem }
  return new Docker(options as Docker.DockerOptions)
}
