import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { z } from 'zod'
import { type Endpoint, endpointAt } from './endpoint.ts'
import type { HostEnvironment } from './host-environment.ts'
import { defaultAddress } from './known-sockets.ts'
import { tlsFilesIn } from './tls-files.ts'

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

export function dockerConfigDirectory({
  environment,
  home,
}: Pick<HostEnvironment, 'environment' | 'home'>): string {
  return environment.DOCKER_CONFIG || join(home, '.docker')
}

/** The context that is in use, other than the built-in `default`. */
export async function currentContext(host: HostEnvironment): Promise<ContextName | undefined> {
  const { DOCKER_CONTEXT } = host.environment
  const file = join(dockerConfigDirectory(host), 'config.json')
  const chosen = DOCKER_CONTEXT
    ? { name: DOCKER_CONTEXT, namedBy: 'DOCKER_CONTEXT' }
    : { name: (await readJson(file, configSchema))?.currentContext, namedBy: file }
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
  const metadata = await readJson(file, metadataSchema)
  if (metadata === undefined) {
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `The docker context "${name}", which ${namedBy} names, does not exist (there is no ${file}). Choose one that \`docker context ls\` lists.`,
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
      message: `The docker context "${name}" names no usable address: ${(cause as Error).message}. Repair it with \`docker context update\` (it stands in ${file}).`,
      data: { context: name, path: file, reason: (cause as Error).message },
      cause,
    })
  }
}

/**
 * Reads one of the files of docker's CLI; `undefined` when it is not there.
 *
 * @throws FencedError `ENGINE_UNREACHABLE`: which engine is meant cannot be known without it, and we do not guess.
 */
async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (parsed.success) return parsed.data
    throw new Error(z.prettifyError(parsed.error))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `Which Docker engine to use stands in ${file}, but that cannot be read: ${(cause as Error).message}. Repair the file, or name the engine with the \`docker\` option or DOCKER_HOST.`,
      data: { path: file, reason: (cause as Error).message },
      cause,
    })
  }
}
