import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { type EngineConnection, engineConnectionSchema } from './connection.ts'
import { dockerConfigDirectory, tlsFilesIn } from './docker-config.ts'
import { contextEndpoint, currentContext } from './docker-context.ts'
import { type Endpoint, endpointAt, type TlsFiles } from './endpoint.ts'
import type { HostEnvironment } from './host-environment.ts'
import { defaultAddress, knownSockets } from './known-sockets.ts'

/** Candidates to try, in order. */
export interface Candidates {
  readonly endpoints: readonly Endpoint[]
  /** Whether the address was configured. Then no other address is tried. */
  readonly named: boolean
}

/**
 * The first that has an opinion decides: the order of docker's CLI (`resolveContextName` in cli/command/cli.go), and
 * then the sockets that we know.
 *
 * @throws FencedError `INVALID_OPTIONS`, or `ENGINE_UNREACHABLE` when the host's own configuration is broken.
 */
export async function findEndpoints(
  connection: EngineConnection | undefined,
  host: HostEnvironment,
): Promise<Candidates> {
  return (
    (await fromOption(connection, host)) ??
    (await fromDockerHost(host)) ??
    (await fromCurrentContext(host)) ??
    fromKnownSockets(host)
  )
}

async function fromOption(
  connection: EngineConnection | undefined,
  host: HostEnvironment,
): Promise<Candidates | undefined> {
  if (connection === undefined) return undefined
  const chosen = parseOptions(engineConnectionSchema, connection, 'the Docker engine (`docker`)')
  const origin = 'the `docker` option'
  if (typeof chosen === 'string') return only(endpointAt(chosen, origin))
  if ('host' in chosen) return only(endpointAt(chosen.host, origin, chosen.tls))
  if (chosen.context === 'default') {
    return (await fromDockerHost(host)) ?? only(endpointOf(defaultAddress(host)))
  }
  return only(await contextEndpoint({ name: chosen.context, namedBy: origin }, host))
}

async function fromDockerHost(host: HostEnvironment): Promise<Candidates | undefined> {
  const { DOCKER_HOST } = host.environment
  if (!DOCKER_HOST) return undefined
  const tls = await tlsFromEnvironment(host)
  try {
    return only(endpointAt(DOCKER_HOST, 'DOCKER_HOST', tls))
  } catch (cause) {
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `DOCKER_HOST has no usable address: ${(cause as Error).message}. Correct it, or unset it to search for the engine.`,
      data: { variable: 'DOCKER_HOST', reason: (cause as Error).message },
      cause,
    })
  }
}

async function fromCurrentContext(host: HostEnvironment): Promise<Candidates | undefined> {
  const context = await currentContext(host)
  return context === undefined ? undefined : only(await contextEndpoint(context, host))
}

function fromKnownSockets(host: HostEnvironment): Candidates {
  return { endpoints: knownSockets(host).map(endpointOf), named: false }
}

/** docker/cli asks of these variables only whether they are set (cli/flags/options.go): `DOCKER_TLS_VERIFY=0` is. */
async function tlsFromEnvironment(host: HostEnvironment): Promise<TlsFiles | undefined> {
  const { DOCKER_TLS, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH } = host.environment
  if (!DOCKER_TLS && !DOCKER_TLS_VERIFY) return undefined
  const directory = DOCKER_CERT_PATH || dockerConfigDirectory(host)
  // Like the CLI: the client certificate is optional, the certificate of the authority is required.
  return {
    ...(await tlsFilesIn(directory)),
    caFile: join(directory, 'ca.pem'),
    verify: Boolean(DOCKER_TLS_VERIFY),
  }
}

function endpointOf({ address, origin }: { address: string; origin: string }): Endpoint {
  return endpointAt(address, origin)
}

function only(endpoint: Endpoint): Candidates {
  return { endpoints: [endpoint], named: true }
}
