import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { parseAddress } from './address.ts'
import { settleCutAnswers } from './cut-answers.ts'
import type { Endpoint } from './endpoint.ts'
import { Fault } from './fault.ts'
import { SshAgent } from './ssh.ts'
import type { Surroundings } from './surroundings.ts'
import type { TlsFiles } from './tls-files.ts'

/** How requests get to an endpoint, in the terms that `http.request` and docker-modem share. */
export interface Transport {
  readonly protocol: 'http' | 'https'
  readonly agent: http.Agent
  readonly socketPath?: string
  readonly host?: string
  readonly port?: number
}

/** As Node's own agent; ours does not use the proxy or the limits that an application gave to that one. */
const keepAlive = { keepAlive: true, timeout: 5_000 }

/**
 * The certificates live in the agent: docker-modem would take no `rejectUnauthorized`.
 *
 * @throws Fault when a certificate file cannot be read.
 */
export async function openTransport(endpoint: Endpoint, { environment }: Surroundings): Promise<Transport> {
  const address = parseAddress(endpoint.address)
  if (address.kind === 'ssh') {
    // The host is for the Host header only.
    const agent = settleCutAnswers(new SshAgent(address, environment))
    return { protocol: 'http', agent, host: 'localhost' }
  }
  if (address.kind === 'socket') {
    return { protocol: 'http', agent: settleCutAnswers(new http.Agent(keepAlive)), socketPath: address.path }
  }
  const { host, port } = address
  if (endpoint.tls === undefined) {
    return { protocol: 'http', agent: settleCutAnswers(new http.Agent(keepAlive)), host, port }
  }
  const agent = new https.Agent({ ...keepAlive, ...(await readTls(endpoint.tls)) })
  return { protocol: 'https', agent: settleCutAnswers(agent), host, port }
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
    throw new Fault('tls', `the certificate file ${file} ${why}`, cause)
  })
}
