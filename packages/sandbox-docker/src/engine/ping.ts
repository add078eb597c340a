import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { shortened } from '@fenced/errors/text'
import { nodeHttp } from '@fenced/shared'
import { Fault, notAnEngine } from './fault.ts'
import type { Transport } from './transport.ts'

/** Information that an engine reports to every client. */
export interface EngineInfo {
  /** Newest API version that the engine supports, such as `1.41`. */
  readonly apiVersion: string
  /** Operating system of its containers: `linux` or `windows`. Not reported by Podman. */
  readonly osType: string | undefined
  /** Server software: `Docker/28.2.2 (linux)`, `Libpod/4.3.1 (linux)`. */
  readonly server: string | undefined
}

/** Docker 19.03 and Podman 3: older ones know no device requests. */
const oldestApi = { version: '1.40', engine: 'Docker 19.03' }
const maxBodyCharacters = 4_096

/**
 * Asks an engine who it is. Not by dockerode, whose ping keeps the headers to itself.
 *
 * @throws Fault when it answers as no engine does, and what Node throws when it does not answer.
 */
export async function ping(transport: Transport, signal: AbortSignal): Promise<EngineInfo> {
  const response = await get('/_ping', transport, signal)
  const body = await readStart(response)
  const { statusCode, headers } = response
  if (statusCode !== 200) throw refusal(statusCode, body)
  const apiVersion = text(headers['api-version'])
  if (apiVersion === undefined || !/^\d+\.\d+$/.test(apiVersion)) throw notAnEngine()
  if (isOlder(apiVersion, oldestApi.version)) {
    throw new Fault(
      'too-old',
      `it is too old: it speaks version ${apiVersion} of the API, and ${oldestApi.version} (${oldestApi.engine}) is needed: update it`,
      { data: { apiVersion, needed: oldestApi.version } },
    )
  }
  return {
    apiVersion,
    osType: text(headers.ostype),
    server: text(headers.server),
  }
}

function get(path: string, transport: Transport, signal: AbortSignal): Promise<IncomingMessage> {
  const { protocol, ...options } = transport
  const { request } = protocol === 'https' ? https : nodeHttp()
  return new Promise((resolve, reject) => {
    request({ ...options, path, signal }, resolve)
      .on('error', reject)
      .end()
  })
}

async function readStart(response: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk
    if (body.length > maxBodyCharacters) break
  }
  return body
}

function refusal(statusCode: number | undefined, body: string): Fault {
  // What Go's HTTP server says on a TLS port.
  if (body.includes('HTTP request to an HTTPS server')) {
    return new Fault('tls', 'it wants TLS, and none is configured')
  }
  const words = shortened(body.replaceAll(/\s+/g, ' ').trim(), 200)
  const data = { status: String(statusCode), reason: words }
  return new Fault('status', `it answers with HTTP status ${statusCode}${words === '' ? '' : `: ${words}`}`, {
    data,
  })
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}

function text(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header) || undefined
}
