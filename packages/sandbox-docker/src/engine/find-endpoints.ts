import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { type EngineConnection, engineConnectionSchema } from './connection.ts'
import { contextEndpoint, currentContext, dockerConfigDirectory } from './docker-context.ts'
import { type Endpoint, endpointAt } from './endpoint.ts'
import { defaultAddress, knownSockets } from './known-sockets.ts'
import type { Surroundings } from './surroundings.ts'
import { type TlsFiles, tlsFilesIn } from './tls-files.ts'

/** Places to try, in order. */
export interface Places {
  readonly endpoints: readonly Endpoint[]
  /** Whether somebody named the place: then it is the only one, and no other is taken instead. */
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
  surroundings: Surroundings,
): Promise<Places> {
  return (
    (await fromOption(connection, surroundings)) ??
    (await fromDockerHost(surroundings)) ??
    (await fromCurrentContext(surroundings)) ??
    fromKnownSockets(surroundings)
  )
}

async function fromOption(
  connection: EngineConnection | undefined,
  surroundings: Surroundings,
): Promise<Places | undefined> {
  if (connection === undefined) return undefined
  const chosen = parseOptions(engineConnectionSchema, connection, 'the Docker engine (`docker`)')
  const origin = 'the `docker` option'
  if (typeof chosen === 'string') return only(endpointAt(chosen, origin))
  if ('host' in chosen) return only(endpointAt(chosen.host, origin, chosen.tls))
  if (chosen.context === 'default') {
    return (await fromDockerHost(surroundings)) ?? only(endpointOf(defaultAddress(surroundings)))
  }
  return only(await contextEndpoint({ name: chosen.context, namedBy: origin }, surroundings))
}

async function fromDockerHost(surroundings: Surroundings): Promise<Places | undefined> {
  const { DOCKER_HOST } = surroundings.environment
  if (!DOCKER_HOST) return undefined
  const tls = await tlsFromEnvironment(surroundings)
  try {
    return only(endpointAt(DOCKER_HOST, 'DOCKER_HOST', tls))
  } catch (cause) {
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `DOCKER_HOST names no usable address: ${(cause as Error).message}. Correct it, or unset it so that the engine is looked for.`,
      cause,
    })
  }
}

async function fromCurrentContext(surroundings: Surroundings): Promise<Places | undefined> {
  const context = await currentContext(surroundings)
  return context === undefined ? undefined : only(await contextEndpoint(context, surroundings))
}

function fromKnownSockets(surroundings: Surroundings): Places {
  return { endpoints: knownSockets(surroundings).map(endpointOf), named: false }
}

/** docker/cli asks of these variables only whether they are set (cli/flags/options.go): `DOCKER_TLS_VERIFY=0` is. */
async function tlsFromEnvironment(surroundings: Surroundings): Promise<TlsFiles | undefined> {
  const { DOCKER_TLS, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH } = surroundings.environment
  if (!DOCKER_TLS && !DOCKER_TLS_VERIFY) return undefined
  const directory = DOCKER_CERT_PATH || dockerConfigDirectory(surroundings)
  // The CLI does without a certificate of its own when there is none, but not without the authority's.
  return {
    ...(await tlsFilesIn(directory)),
    caFile: join(directory, 'ca.pem'),
    verify: Boolean(DOCKER_TLS_VERIFY),
  }
}

function endpointOf({ address, origin }: { address: string; origin: string }): Endpoint {
  return endpointAt(address, origin)
}

function only(endpoint: Endpoint): Places {
  return { endpoints: [endpoint], named: true }
}
