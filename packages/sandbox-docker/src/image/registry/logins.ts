import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { errorMessage } from '@fenced/core/internal'
import { findProgram, withTrustedPath } from '@fenced/host'
import { dockerConfigDirectory } from '../../engine/docker-context.ts'
import type { HostEnvironment } from '../../engine/host-environment.ts'
import { dockerHub } from '../image-name.ts'

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
  /** The values in `problem`, by name. */
  readonly data?: Readonly<Record<string, string>>
}

/** The docker command's name for Docker Hub, older than the form of all others. */
const hubAddress = 'https://index.docker.io/v1/'
const hubHosts = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io'])

/** What `docker login` left on this machine. Public images need no login, so a problem is only a notice. */
export class Logins {
  readonly #host: Pick<HostEnvironment, 'environment' | 'home'>
  readonly #context: StartContext
  #config: Promise<DockerConfig> | undefined

  constructor(host: Pick<HostEnvironment, 'environment' | 'home'>, context: StartContext) {
    this.#host = host
    this.#context = context
  }

  /** @param registry - its host, or the docker command's name for it. */
  async find(registry: string): Promise<FoundLogin> {
    try {
      this.#config ??= readDockerConfig(this.#host)
      return { login: await this.#lookUp(hubHosts.has(registry) ? hubAddress : registry, await this.#config) }
    } catch (error) {
      this.#context.signal.throwIfAborted()
      const why = errorMessage(error)
      const problem = `There is no login for the registry ${registry}, because ${why}.`
      const data = { ...dataOf(error), registry }
      this.#context.notice({
        code: 'credentials',
        message: `${problem} Going on without one.`,
        data,
      })
      return { problem, data }
    }
  }

  async #lookUp(address: string, config: DockerConfig): Promise<Login | undefined> {
    const { auths = {}, credHelpers = {}, credsStore } = config
    const { environment } = this.#host
    const name = credHelpers[address] ?? credsStore
    const kept = name
      ? await askCredentialHelper({ name, address, environment }, this.#context.signal)
      : undefined
    if (kept === undefined) return fromFile(address, auths)
    // The docker command's mark for a token instead of a password.
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

/** What the docker command remembers of registries. */
export interface DockerConfig {
  readonly auths?: Readonly<Record<string, AuthEntry>>
  /** The helper that keeps the passwords of all registries. */
  readonly credsStore?: string
  /** Helpers for single registries. */
  readonly credHelpers?: Readonly<Record<string, string>>
}

interface AuthEntry {
  /** User and password, in base64. */
  readonly auth?: string
  /** Instead of a password. */
  readonly identitytoken?: string
  readonly registrytoken?: string
}

/** Why there is no login, with the values of its words. */
class LoginError extends Error {
  readonly data: Readonly<Record<string, string>>

  constructor(message: string, data: Readonly<Record<string, string>>) {
    super(message)
    this.data = data
  }
}

function dataOf(error: unknown): Readonly<Record<string, string>> | undefined {
  return error instanceof LoginError || FencedError.isInstance(error) ? error.data : undefined
}

/** @throws LoginError when there is one that cannot be read. */
async function readDockerConfig(host: Pick<HostEnvironment, 'environment' | 'home'>): Promise<DockerConfig> {
  const path = join(dockerConfigDirectory(host), 'config.json')
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    // The parser's own words quote the text.
    throw new LoginError(`${path} cannot be read: ${code ?? 'it is not JSON'}`, {
      path,
      ...(code === undefined ? {} : { reason: code }),
    })
  }
}

/** What is asked for, and of which helper. */
interface CredentialRequest {
  /** The helper's name, as docker's configuration has it. */
  readonly name: string
  /** The registry's. */
  readonly address: string
  /** The helper's environment, which says where it is. */
  readonly environment: NodeJS.ProcessEnv
}

/** A helper may ask the person at the screen. */
const timeoutMs = 120_000

/**
 * Asks a program that keeps passwords for the docker command (docker/docker-credential-helpers): the registry's
 * address on stdin, JSON on stdout.
 *
 * @returns `undefined` when it keeps none for this registry.
 * @throws LoginError when it fails. What it wrote is not quoted, since there may be a secret in it.
 */
async function askCredentialHelper(
  { name, address, environment }: CredentialRequest,
  signal: AbortSignal,
): Promise<{ username: string; secret: string } | undefined> {
  const program = `docker-credential-${name}`
  try {
    const env = withTrustedPath(environment)
    const options = { env, signal, timeout: timeoutMs, windowsHide: true }
    const running = promisify(execFile)(findProgram(program, { path: env.PATH }) ?? program, ['get'], options)
    // That a program does not read shows at its end.
    running.child.stdin?.on('error', () => {}).end(address)
    const { Username = '', Secret = '' } = JSON.parse((await running).stdout)
    return Username === '' && Secret === '' ? undefined : { username: Username, secret: Secret }
  } catch (error) {
    signal.throwIfAborted()
    if (FencedError.isInstance(error)) throw error
    const { stdout = '' } = error as { stdout?: string }
    if (stdout.includes('credentials not found')) return undefined
    const { words, data } = problemOf(error)
    throw new LoginError(`the credential helper ${program} ${words}`, { program, ...data })
  }
}

function problemOf(error: unknown): { words: string; data?: Record<string, string> } {
  const { code, killed } = error as { code?: string | number; killed?: boolean }
  if (code === 'ENOENT') return { words: 'is not on the PATH', data: { reason: code } }
  if (killed)
    return {
      words: `did not answer within ${timeoutMs / 1000} seconds`,
      data: { limitMs: String(timeoutMs) },
    }
  if (typeof code === 'number')
    return { words: `failed with exit code ${code}`, data: { exitCode: String(code) } }
  return { words: 'gave an answer that is not understood' }
}
