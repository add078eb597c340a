import { readFileSync } from 'node:fs'
import type { Agent } from 'node:http'
import https from 'node:https'
import { connect, isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { nodeHttp } from '@fenced/shared'
import { parseAddress } from './address.ts'
import type { Endpoint, TlsFiles } from './endpoint.ts'
import { Fault } from './fault.ts'
import type { HostEnvironment } from './host-environment.ts'
import { SshAgent } from './ssh.ts'

/** How requests get to an endpoint, in the terms that `http.request` and docker-modem share. */
export interface Transport {
  readonly protocol: 'http' | 'https'
  readonly agent: Agent
  readonly socketPath?: string
  readonly host?: string
  readonly port?: number
  /** Opens a connection that the agent does not manage. */
  connect(): Duplex
}

/** As Node's own agent; ours does not use the proxy or the limits that an application gave to that one. */
const keepAlive = { keepAlive: true, timeout: 5_000 }

export function openTransport(endpoint: Endpoint, { environment }: HostEnvironment): Transport {
  const address = parseAddress(endpoint.address)
  if (address.kind === 'ssh') {
    // The host is for the Host header only.
    const agent = new SshAgent(address, environment)
    return { protocol: 'http', agent, host: 'localhost', connect: () => agent.connectTo() }
  }
  if (address.kind === 'socket') {
    const { path } = address
    const agent = new (nodeHttp().Agent)(keepAlive)
    return { protocol: 'http', agent, socketPath: path, connect: () => connect(path) }
  }
  const { host, port } = address
  if (endpoint.tls === undefined) {
    const agent = new (nodeHttp().Agent)(keepAlive)
    return { protocol: 'http', agent, host, port, connect: () => connect(port, host) }
  }
  const agent = new TlsAgent(keepAlive, endpoint.tls)
  return { protocol: 'https', agent, host, port, connect: () => agent.connectTo({ host, port }) }
}

/**
 * Reads the certificates again for each connection: they may have been replaced since the last one. The certificates live in the
 * agent because docker-modem would take no `rejectUnauthorized`.
 */
class TlsAgent extends https.Agent {
  readonly #files: TlsFiles

  constructor(options: https.AgentOptions, files: TlsFiles) {
    super(options)
    this.#files = files
  }

  override createConnection(
    options: https.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    try {
      return super.createConnection({ ...options, ...readTls(this.#files) }, callback)
    } catch (error) {
      callback?.(error as Fault, new Duplex())
    }
  }

  /** A connection that no request has. */
  connectTo({ host, port }: { readonly host: string; readonly port: number }): Duplex {
    // As the agent does it: the name is for a server of several names, and an address is none.
    const target = { host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }
    try {
      return connectTls({ ...target, ...readTls(this.#files) })
    } catch (error) {
      return new Duplex().destroy(error as Error)
    }
  }
}

/** @throws Fault when a certificate file cannot be read. */
function readTls({ caFile, certFile, keyFile, verify }: TlsFiles): ConnectionOptions {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(readCertificate)
  return {
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

function readCertificate(file: string | undefined): Buffer | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file)
  } catch (error) {
    const cause = error as NodeJS.ErrnoException
    const why = cause.code === 'ENOENT' ? 'is missing' : `cannot be read (${cause.code})`
    const data = { path: file ?? '', reason: cause.code ?? cause.message }
    throw new Fault('tls', `the certificate file ${file} ${why}`, { cause, data })
  }
}
