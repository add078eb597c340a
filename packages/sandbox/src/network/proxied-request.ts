import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { type Host, hostOf } from './host-name.ts'

/** The host and port that a request is for. */
export interface Destination extends Host {
  readonly port: number
}

/** A request that is not passed on, and what its program gets for an answer. */
export class Refusal extends Error {
  readonly status: number
  /** The host and port as far as they were understood, for who watches. */
  readonly destination: Destination | undefined

  constructor(status: number, message: string, destination?: Destination) {
    super(message)
    this.status = status
    this.destination = destination
  }
}

/** Parses the `host:port` of a request (RFC 9110, 7.2), without user names. @throws Refusal */
export function destinationOf(text: string, defaultPort?: number): Destination {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/s.exec(text) ?? []
  const host = hostOf(name)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === undefined || port === undefined || port < 1 || port > 65_535)
    throw new Refusal(400, `${JSON.stringify(text.slice(0, 300))} is not a host and port`, {
      ...{ kind: 'name', host: text.slice(0, 300), port: 0 },
    })
  return { ...host, port }
}

/**
 * Whom a request is for, and its path: it names both (RFC 9112, 3.2.2), unless its connection is one to a host already.
 *
 * @param connectedTo - with `isSecure` the request came by TLS.
 * @throws Refusal
 */
export function targetOf(
  { url = '', rawHeaders }: IncomingMessage,
  { destination: connectedTo, isSecure = false }: { destination?: Destination; isSecure?: boolean } = {},
): { destination: Destination; path: string } {
  const [, scheme, text = '', rest = ''] = /^(?:(\w+):\/\/([^/?#]*))?([^#]*)$/s.exec(url) ?? []
  if (scheme !== undefined && scheme.toLowerCase() !== 'http')
    throw new Refusal(400, `${scheme}: is not passed on; a client of HTTPS sends CONNECT`)
  if (scheme === undefined && connectedTo === undefined)
    throw new Refusal(400, 'this is a proxy, and the request names no host')
  const named = scheme === undefined ? undefined : destinationOf(text, 80)
  const destination = connectedTo ?? named
  if (destination === undefined || (named !== undefined && !isSame(named, destination)))
    throw new Refusal(403, 'the request is for another host than its connection', named)
  const hosts = valuesOf(rawHeaders, 'host')
  const [host = ''] = hosts
  if (hosts.length !== 1 || !isSame(destinationOf(host, defaultPortOf(isSecure)), destination))
    throw new Refusal(403, 'the header Host names another host than the request', destination)
  return { destination, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Those of one connection, which are not passed on (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
  // It was answered here.
  'expect',
  // The proxy writes its own.
  'host',
])

/** `Connection` cannot remove it: without it the host reads another request than this proxy. */
const neverHopByHop = 'content-length'

/** Names and values in turn, as they came, without the headers of this connection. */
export function headersToPassOn(rawHeaders: readonly string[]): string[] {
  const named = valuesOf(rawHeaders, 'connection').flatMap((value) => value.toLowerCase().split(/[\s,]+/))
  const removed = new Set([...hopByHop, ...named.filter((name) => name !== neverHopByHop)])
  return rawHeaders.filter((_, index) => !removed.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''))
}

/** `Host` as the proxy understood it (RFC 9110, 7.2). A server may read the spelling of a program in another way. */
export function hostHeader({ host, port }: Destination, isSecure: boolean): [string, string] {
  const name = isIPv6(host) ? `[${host}]` : host
  return ['Host', port === defaultPortOf(isSecure) ? name : `${name}:${port}`]
}

function defaultPortOf(isSecure: boolean): number {
  return isSecure ? 443 : 80
}

/** Methods whose requests have no body, unless a header says so. Node adds `Transfer-Encoding` to all others. */
const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/**
 * Returns the header that marks the end of the body of a request (RFC 9112, 6.3), as a name and a value. It is empty where
 * the headers have a length, and where there is no body. Without it Node sends a body of GET, HEAD, DELETE, OPTIONS or TRACE
 * without an end, which a host reads as another request.
 *
 * @throws Refusal
 */
export function framingToPassOn(incoming: IncomingMessage, destination: Destination): string[] {
  const { method = '', rawHeaders } = incoming
  const lengths = valuesOf(rawHeaders, 'content-length')
  const codings = valuesOf(rawHeaders, 'transfer-encoding')
  if (lengths.length + codings.length > 1 || !lengths.every((length) => /^\d+$/.test(length)))
    throw new Refusal(400, 'the length of the request is not clear; send one Content-Length', destination)
  if (!codings.every((coding) => coding.toLowerCase() === 'chunked'))
    throw new Refusal(501, 'Transfer-Encoding may only be chunked', destination)
  if (codings.length > 0) return ['Transfer-Encoding', 'chunked']
  return lengths.length > 0 || withoutBody.has(method) ? [] : ['Content-Length', '0']
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

function isSame(one: Destination, other: Destination): boolean {
  return one.host === other.host && one.port === other.port
}
