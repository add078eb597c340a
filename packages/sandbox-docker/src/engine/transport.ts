import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { parseAddress } from './address.ts'
import type { Endpoint } from './endpoint.ts'
import { Fault } from './fault.ts'
import type { HostEnvironment } from './host-environment.ts'
import { SshAgent } from './ssh.ts'
import type { TlsFiles } from './tls-files.ts'

/** How requests get to an endpoint, in the terms that `http.request` and docker-modem share. */
export interface Transport {
  readonly protocol: 'http' | 'https'
  readonly agent: http.Agent
  readonly socketPath?: string
  readonly host?: string
  readonly port?: number
  /** A connection beside those of the agent. */
  connect(): Duplex
}

/** As Node's own agent; ours does not use the proxy or the limits that an application gave to that one. */
const keepAlive = { keepAlive: true, timeout: 5_000 }

/**
 * The certificates live in the agent: docker-modem would take no `rejectUnauthorized`.
 *
 * @throws Fault when a certificate file cannot be read.
 */
export async function openTransport(
  endpoint: Endpoint,
  { environment }: HostEnvironment,
): Promise<Transport> {
  const address = parseAddress(endpoint.address)
  if (address.kind === 'ssh') {
    // The host is for the Host header only.
    const agent = new SshAgent(address, environment)
    return { protocol: 'http', agent, host: 'localhost', connect: () => agent.createConnection() }
  }
  if (address.kind === 'socket') {
    const { path } = address
    const agent = new http.Agent(keepAlive)
    return { protocol: 'http', agent, socketPath: path, connect: () => connect(path) }
  }
  const { host, port } = address
  if (endpoint.tls === undefined) {
    const agent = new http.Agent(keepAlive)
    return { protocol: 'http', agent, host, port, connect: () => connect(port, host) }
  }
  const tls = await readTls(endpoint.tls)
  const agent = new https.Agent({ ...keepAlive, ...tls })
  // As the agent does it: the name is for a server of several names, and an address is none.
  const target = { host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }
  return { protocol: 'https', agent, host, port, connect: () => connectTls(target) }
}

async function readTls({ caFile, certFile, keyFile, verify }: TlsFiles): Promise<https.AgentOptions> {
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map(readCertificate))
  return {
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

async function readCertificate(file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'is missing' : `cannot be read (${cause.code})`
    const data = { path: file, reason: cause.code ?? cause.message }
    throw new Fault('tls', `the certificate file ${file} ${why}`, { cause, data })
  })
}
