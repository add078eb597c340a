import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'
import type { TlsFiles } from './endpoint.ts'
import type { HostEnvironment } from './host-environment.ts'

/** The variables and the home directory that say where docker's CLI keeps its files. */
export type DockerHome = Pick<HostEnvironment, 'environment' | 'home'>

/** A file of docker's CLI that cannot be used. Its message quotes nothing of the file, which may have a secret in it. */
export class DockerFileError extends Error {
  readonly path: string
  readonly reason: string

  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path} cannot be read: ${reason}`, { cause })
    this.path = path
    this.reason = reason
  }
}

export function dockerConfigDirectory({ environment, home }: DockerHome): string {
  return environment.DOCKER_CONFIG || join(home, '.docker')
}

/** The path of the file in which docker's CLI keeps its settings and logins. */
export function dockerConfigFile(host: DockerHome): string {
  return join(dockerConfigDirectory(host), 'config.json')
}

/**
 * Reads a file of docker's CLI; `undefined` when it does not exist. Only the fields of the schema are checked.
 *
 * @throws DockerFileError
 */
export async function readDockerFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const { code = errorMessage(cause) } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new DockerFileError(path, code, cause)
  }
  const parsed = schema.safeParse(parsedJson(path, text))
  if (parsed.success) return parsed.data
  throw new DockerFileError(path, z.prettifyError(parsed.error), parsed.error)
}

function parsedJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text.
    throw new DockerFileError(path, 'it is not JSON')
  }
}

/** Returns the existing certificate files, under the names that docker's CLI expects in a directory. */
export async function tlsFilesIn(directory: string): Promise<Omit<TlsFiles, 'verify'>> {
  const [caFile, certFile, keyFile] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map(async (name) => {
      const file = join(directory, name)
      return access(file).then(
        () => file,
        () => undefined,
      )
    }),
  )
  return { caFile, certFile, keyFile }
}
