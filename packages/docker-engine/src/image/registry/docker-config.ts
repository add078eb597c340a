import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dockerConfigDirectory } from '../../engine/docker-context.ts'
import type { Surroundings } from '../../engine/surroundings.ts'

/** What the docker command remembers of registries. */
export interface DockerConfig {
  readonly auths?: Readonly<Record<string, AuthEntry>>
  /** The helper that keeps the passwords of all registries. */
  readonly credsStore?: string
  /** Helpers for single registries. */
  readonly credHelpers?: Readonly<Record<string, string>>
}

export interface AuthEntry {
  /** User and password, in base64. */
  readonly auth?: string
  /** In the place of a password. */
  readonly identitytoken?: string
  readonly registrytoken?: string
}

/** @throws Error when there is one that cannot be read. */
export async function readDockerConfig(
  surroundings: Pick<Surroundings, 'environment' | 'home'>,
): Promise<DockerConfig> {
  const path = join(dockerConfigDirectory(surroundings), 'config.json')
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    // The parser's own words quote the text.
    throw new Error(`${path} cannot be read: ${code ?? 'it is not JSON'}`)
  }
}
