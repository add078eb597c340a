import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { errorMessage } from '@fenced/errors'
import { nodeTls } from '@fenced/shared'
import { hostOf } from '../host-name.ts'
import type { NetworkListSettings } from '../network-options.ts'
import { established } from '../outgoing-connection.ts'
import { type Destination, Refusal } from '../proxied-request.ts'
import { SandboxAuthority } from './authority.ts'
import { HostSecrets } from './host-secrets.ts'

/** Secrets that programs of a sandbox use without having them. */
export class NetworkSecrets {
  /** Environment variables for programs: the names of the secrets, with placeholders as values. */
  readonly variables: Readonly<Record<string, string>>
  readonly #byOrigin: ReadonlyMap<string, HostSecrets>
  readonly #trusted: string[]
  #authority: Promise<SandboxAuthority> | undefined

  /** Returns `undefined` without secrets. */
  static of({ secrets = {}, caFile }: NetworkListSettings): NetworkSecrets | undefined {
    return Object.keys(secrets).length === 0 ? undefined : new NetworkSecrets(secrets, caFile)
  }

  private constructor(secrets: NonNullable<NetworkListSettings['secrets']>, caFile: string | undefined) {
    const placed = Object.entries(secrets).map(([name, { value, hosts, headers }]) => ({
      ...{ name, value, headers: new Set(headers.map((header) => header.toLowerCase())) },
      ...{ origins: hosts.map(originOf), placeholder: `fenced-secret-${randomBytes(16).toString('hex')}` },
    }))
    this.variables = Object.fromEntries(placed.map(({ name, placeholder }) => [name, placeholder]))
    const pairs = placed.flatMap((secret) => secret.origins.map((origin) => ({ origin, secret })))
    const grouped = [...Map.groupBy(pairs, ({ origin }) => origin)]
    const hosts = grouped.map(
      ([origin, all]) => [origin, new HostSecrets(all.map(({ secret }) => secret))] as const,
    )
    this.#byOrigin = new Map(hosts)
    this.#trusted = caFile === undefined ? [] : [readFileSync(caFile, 'utf8')]
  }

  /** The authority that programs have to trust. @throws FencedError `SECRETS_UNAVAILABLE`. */
  authority(): Promise<SandboxAuthority> {
    this.#authority ??= SandboxAuthority.create()
    return this.#authority
  }

  /** Returns the secrets of a host and port. */
  for(scheme: 'http' | 'https', { kind, host, port }: Destination): HostSecrets | undefined {
    return kind === 'name' ? this.#byOrigin.get(`${scheme}://${host}:${port}`) : undefined
  }

  /** The connection of a program that speaks TLS with a host, as that host. */
  async asHost(program: Duplex, { host }: Destination): Promise<TLSSocket> {
    const secureContext = (await this.authority()).contextOf(host)
    const secure = new (nodeTls().TLSSocket)(program, {
      isServer: true,
      secureContext,
      ALPNProtocols: ['http/1.1'],
    })
    // Its end is reported as every stream's.
    return secure.on('error', () => program.destroy())
  }

  /** A connection to the host itself, whose certificate was checked. @throws Refusal */
  async toHost(socket: Duplex, { host }: Destination): Promise<TLSSocket> {
    const tls = nodeTls()
    const usual = tls.getCACertificates?.('default') ?? tls.rootCertificates
    const secure = tls.connect({
      ...{ socket, servername: host, ALPNProtocols: ['http/1.1'] },
      ...(this.#trusted.length === 0 ? {} : { ca: [...usual, ...this.#trusted] }),
    })
    try {
      await established(secure, 'secureConnect')
      return secure
    } catch (error) {
      throw new Refusal(502, `no secure connection to ${host} could be made: ${errorMessage(error)}`)
    }
  }
}

/** A host of a secret, as `https://name:port`. */
function originOf(text: string): string {
  const [, scheme = 'https', name = '', port] = /^(?:(https?):\/\/)?([^:/]+)(?::(\d+))?$/.exec(text) ?? []
  return `${scheme}://${hostOf(name)?.host ?? ''}:${port ?? (scheme === 'https' ? 443 : 80)}`
}
