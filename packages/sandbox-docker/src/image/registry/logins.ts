import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'
import { captureOutput, findProgram, withTrustedPath } from '@fenced/host'
import { anySignal } from '@fenced/shared'
import {
  DockerFileError,
  type DockerHome,
  dockerConfigFile,
  readDockerFile,
} from '../../engine/docker-config.ts'
import { dockerHub } from '../image-name.ts'

/** What the engine needs to log in to a registry (Docker Engine API, "Authentication"). */
export interface Login {
  readonly serveraddress: string
  readonly username?: string
  readonly password?: string
  readonly identitytoken?: string
  readonly registrytoken?: string
}

/** The login for a registry, or why it could not be read. */
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
  readonly #host: DockerHome
  readonly #context: StartContext
  #saved: Promise<SavedLogins> | undefined

  constructor(host: DockerHome, context: StartContext) {
    this.#host = host
    this.#context = context
  }

  /** @param registry - its host, or the docker command's name for it. */
  async find(registry: string): Promise<FoundLogin> {
    try {
      this.#saved ??= readSavedLogins(this.#host)
      return { login: await this.#lookUp(hubHosts.has(registry) ? hubAddress : registry, await this.#saved) }
    } catch (error) {
      this.#context.signal.throwIfAborted()
      const why = errorMessage(error)
      const problem = `There is no login for the registry ${registry} because ${why}.`
      const data = { ...dataOf(error), registry }
      this.#context.notice({
        code: 'credentials',
        message: `${problem} Continuing without a login.`,
        data,
      })
      return { problem, data }
    }
  }

  async #lookUp(
    address: string,
    { auths, credHelpers, credsStore }: SavedLogins,
  ): Promise<Login | undefined> {
    const { environment } = this.#host
    const name = credHelpers?.[address] ?? credsStore
    const kept = name
      ? await askCredentialHelper({ name, address, environment }, this.#context.signal)
      : undefined
    if (kept === undefined) return fromFile(address, auths ?? {})
    // The docker command's mark for a token instead of a password.
    return kept.username === '<token>'
      ? { serveraddress: address, identitytoken: kept.secret }
      : { serveraddress: address, username: kept.username, password: kept.secret }
  }
}

function fromFile(address: string, auths: NonNullable<SavedLogins['auths']>): Login | undefined {
  const similar = Object.keys(auths).find((key) => hostOf(key) === hostOf(address))
  const { auth, identitytoken, registrytoken } = auths[address] ?? auths[similar ?? ''] ?? {}
  const [username = '', ...password] = Buffer.from(auth ?? '', 'base64')
    .toString('utf8')
    .split(':')
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

const authSchema = z.object({
  /** User and password, in base64. */
  auth: z.string().nullish(),
  /** Instead of a password. */
  identitytoken: z.string().nullish(),
  registrytoken: z.string().nullish(),
})

/** Logins in docker's configuration. Docker's CLI takes `null` for a missing field. */
const loginsSchema = z.object({
  auths: z.record(z.string(), authSchema).nullish(),
  /** The helper that keeps the passwords of all registries. */
  credsStore: z.string().nullish(),
  /** Helpers for single registries. */
  credHelpers: z.record(z.string(), z.string()).nullish(),
})

type SavedLogins = z.output<typeof loginsSchema>

/** The answer of a credential helper. */
const credentialSchema = z.object({ Username: z.string().default(''), Secret: z.string().default('') })

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

/** @throws LoginError when the file cannot be read. */
async function readSavedLogins(host: DockerHome): Promise<SavedLogins> {
  try {
    return (await readDockerFile(dockerConfigFile(host), loginsSchema)) ?? {}
  } catch (error) {
    if (!(error instanceof DockerFileError)) throw error
    const { message, path, reason } = error
    throw new LoginError(message, { path, reason })
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
 * @throws LoginError when it fails. Its output is not quoted, since there may be a secret in it.
 */
async function askCredentialHelper(
  { name, address, environment }: CredentialRequest,
  signal: AbortSignal,
): Promise<{ username: string; secret: string } | undefined> {
  const program = `docker-credential-${name}`
  const failed = (words: string, data: Readonly<Record<string, string>> = {}) =>
    new LoginError(`the credential helper ${program} ${words}`, { program, ...data })
  const env = withTrustedPath(environment)
  const path = findProgram(program, { path: env.PATH })
  if (path === undefined) throw failed('is not on the PATH', { reason: 'ENOENT' })
  const limit = AbortSignal.timeout(timeoutMs)
  const options = { env, input: address, signal: anySignal([limit, signal]) }
  const { stdout, exitCode } = await captureOutput([path, 'get'], options).catch((error: unknown) => {
    signal.throwIfAborted()
    throw limit.aborted
      ? failed(`did not answer within ${timeoutMs / 1000} seconds`, { limitMs: String(timeoutMs) })
      : error
  })
  if (exitCode !== 0) {
    if (stdout.includes('credentials not found')) return undefined
    throw failed(`failed with exit code ${exitCode}`, { exitCode: String(exitCode) })
  }
  const answer = credentialSchema.safeParse(parsed(stdout))
  if (!answer.success) throw failed('gave an invalid answer')
  const { Username, Secret } = answer.data
  return Username === '' && Secret === '' ? undefined : { username: Username, secret: Secret }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
