import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import {
  DockerFileError,
  dockerConfigDirectory,
  dockerConfigFile,
  readDockerFile,
  tlsFilesIn,
} from './docker-config.ts'
import { type Endpoint, endpointAt } from './endpoint.ts'
import type { HostEnvironment } from './host-environment.ts'
import { defaultAddress } from './known-sockets.ts'

/** A context that was asked for, and who did. */
export interface ContextName {
  readonly name: string
  readonly namedBy: string
}

const configSchema = z.object({ currentContext: z.string().optional() })

// As docker/cli writes it: cli/context/store/metadatastore.go.
const metadataSchema = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().default(false) }) }),
})

/** The context that is in use, other than the built-in `default`. */
export async function currentContext(host: HostEnvironment): Promise<ContextName | undefined> {
  const { DOCKER_CONTEXT } = host.environment
  const file = dockerConfigFile(host)
  const chosen = DOCKER_CONTEXT
    ? { name: DOCKER_CONTEXT, namedBy: 'DOCKER_CONTEXT' }
    : { name: (await readSettings(file, configSchema))?.currentContext, namedBy: file }
  const { name, namedBy } = chosen
  return name === undefined || name === '' || name === 'default' ? undefined : { name, namedBy }
}

/** @throws FencedError `ENGINE_UNREACHABLE` when there is no such context, or it cannot be understood. */
export async function contextEndpoint(
  { name, namedBy }: ContextName,
  host: HostEnvironment,
): Promise<Endpoint> {
  const contexts = join(dockerConfigDirectory(host), 'contexts')
  const folder = createHash('sha256').update(name).digest('hex')
  const file = join(contexts, 'meta', folder, 'meta.json')
  const metadata = await readSettings(file, metadataSchema)
  if (metadata === undefined) {
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `The docker context "${name}", which ${namedBy} names, does not exist (${file} is missing). Choose a context from \`docker context ls\`.`,
      data: { context: name, origin: namedBy, path: file },
    })
  }
  const { Host, SkipTLSVerify } = metadata.Endpoints.docker
  const files = await tlsFilesIn(join(contexts, 'tls', folder, 'docker'))
  const usesTls = SkipTLSVerify || Object.values(files).some((path) => path !== undefined)
  try {
    return endpointAt(
      Host || defaultAddress(host).address,
      `the docker context "${name}"`,
      usesTls ? { ...files, verify: !SkipTLSVerify } : undefined,
    )
  } catch (cause) {
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `The docker context "${name}" has no usable address: ${(cause as Error).message}. Repair ${file} with \`docker context update\`.`,
      data: { context: name, path: file, reason: (cause as Error).message },
      cause,
    })
  }
}

/**
 * Reads a file that decides which engine is meant.
 *
 * @throws FencedError `ENGINE_UNREACHABLE` when it cannot be read: no other engine is taken instead.
 */
async function readSettings<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return await readDockerFile(file, schema)
  } catch (cause) {
    if (!(cause instanceof DockerFileError)) throw cause
    const { path, reason } = cause
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `${path} names the Docker engine to use, but cannot be read: ${reason}. Repair the file, or name the engine with the \`docker\` option or DOCKER_HOST.`,
      data: { path, reason },
      cause,
    })
  }
}
