import type { StartContext } from '@fenced/core/driver'
import type { Surroundings } from '../../engine/surroundings.ts'
import { dockerHub } from '../image-name.ts'
import { askCredentialHelper } from './credential-helper.ts'
import { type AuthEntry, type DockerConfig, readDockerConfig } from './docker-config.ts'

/** What the engine needs to log in to a registry (Docker Engine API, "Authentication"). */
export interface Login {
  readonly serveraddress: string
  readonly username?: string
  readonly password?: string
  readonly identitytoken?: string
  readonly registrytoken?: string
}

/** A registry's login, or why one that there may be could not be had. */
export interface FoundLogin {
  readonly login?: Login | undefined
  readonly problem?: string
}

/** The docker command's name for Docker Hub, older than the form of all others. */
const hubAddress = 'https://index.docker.io/v1/'
const hubHosts = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io'])

/** What `docker login` left on this machine. Public images need no login, so a problem is only a notice. */
export class Logins {
  readonly #surroundings: Pick<Surroundings, 'environment' | 'home'>
  readonly #context: StartContext
  #config: Promise<DockerConfig> | undefined

  constructor(surroundings: Pick<Surroundings, 'environment' | 'home'>, context: StartContext) {
    this.#surroundings = surroundings
    this.#context = context
  }

  /** @param registry - its host, or the docker command's name for it. */
  async find(registry: string): Promise<FoundLogin> {
    try {
      this.#config ??= readDockerConfig(this.#surroundings)
      return { login: await this.#lookUp(hubHosts.has(registry) ? hubAddress : registry, await this.#config) }
    } catch (error) {
      this.#context.signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      const problem = `There is no login for the registry ${registry}, because ${why}.`
      this.#context.notice({ code: 'credentials', message: `${problem} Going on without one.` })
      return { problem }
    }
  }

  /** Every login that there is, by registry. */
  async all(): Promise<Record<string, Login>> {
    const config = await readDockerConfig(this.#surroundings).catch((): DockerConfig => ({}))
    const { auths = {}, credHelpers = {} } = config
    const registries = [...new Set([...Object.keys(auths), ...Object.keys(credHelpers)])]
    const found = await Promise.all(registries.map((registry) => this.find(registry)))
    return Object.fromEntries(
      registries.flatMap((registry, index) => {
        const login = found[index]?.login
        return login === undefined ? [] : [[registry, login]]
      }),
    )
  }

  async #lookUp(address: string, config: DockerConfig): Promise<Login | undefined> {
    const { auths = {}, credHelpers = {}, credsStore } = config
    const { environment } = this.#surroundings
    const name = credHelpers[address] ?? credsStore
    const kept = name
      ? await askCredentialHelper({ name, address, environment }, this.#context.signal)
      : undefined
    if (kept === undefined) return fromFile(address, auths)
    // The docker command's mark for a token in the place of a password.
    return kept.username === '<token>'
      ? { serveraddress: address, identitytoken: kept.secret }
      : { serveraddress: address, username: kept.username, password: kept.secret }
  }
}

function fromFile(address: string, auths: Readonly<Record<string, AuthEntry>>): Login | undefined {
  const similar = Object.keys(auths).find((key) => hostOf(key) === hostOf(address))
  const { auth = '', identitytoken, registrytoken } = auths[address] ?? auths[similar ?? ''] ?? {}
  const [username = '', ...password] = Buffer.from(auth, 'base64').toString('utf8').split(':')
  if (username === '' && !identitytoken && !registrytoken) return undefined
  return {
    serveraddress: address,
    ...(username === '' ? {} : { username, password: password.join(':') }),
    ...(identitytoken ? { identitytoken } : {}),
    ...(registrytoken ? { registrytoken } : {}),
  }
}

function hostOf(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
}
