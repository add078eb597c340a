/** Where an engine listens, taken apart. `text` is its normal form. */
export type Address = SocketAddress | TcpAddress | SshAddress

interface SocketAddress {
  readonly kind: 'socket'
  readonly text: string
  readonly path: string
}

interface TcpAddress {
  readonly kind: 'tcp'
  readonly text: string
  readonly host: string
  readonly port: number
}

export interface SshAddress {
  readonly kind: 'ssh'
  readonly text: string
  readonly host: string
  readonly user: string | undefined
  readonly port: string | undefined
  /** The engine's socket on the remote machine. Default: the socket that `docker` uses there. */
  readonly path: string | undefined
}

/** The socket and the pipe that are meant when none is named, as docker's CLI has them (opts/hosts.go). */
export const defaultSocket = 'unix:///var/run/docker.sock'
const defaultPipe = 'npipe:////./pipe/docker_engine'
const defaultPort = 2375

/** What is wrong with an address: its scheme, its form, a password, or more in it than belongs there. */
type AddressFault = 'scheme' | 'form' | 'password' | 'excess'

/** An address that cannot be understood. */
class AddressError extends Error {
  readonly fault: AddressFault

  constructor(fault: AddressFault, message: string) {
    super(message)
    this.name = 'AddressError'
    this.fault = fault
  }
}

/**
 * Reads an address as docker's CLI reads `DOCKER_HOST`.
 *
 * @throws AddressError whose message says what is wrong with it.
 */
export function parseAddress(text: string): Address {
  const trimmed = text.trim()
  if (/^\.?\//.test(trimmed)) return socketAddress(`unix://${trimmed}`)
  const [, scheme = 'tcp', rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(trimmed) ?? []
  switch (scheme) {
    case 'unix':
      return socketAddress(rest === '' ? defaultSocket : trimmed)
    case 'npipe':
      return socketAddress(rest === '' ? defaultPipe : trimmed)
    case 'tcp':
      return tcpAddress(rest)
    case 'ssh':
      return sshAddress(trimmed)
    default:
      throw new AddressError(
        'scheme',
        `${quoted(text)} begins with ${scheme}://. An engine's address begins with unix://, npipe://, tcp:// or ssh://`,
      )
  }
}

function socketAddress(text: string): SocketAddress {
  return { kind: 'socket', text, path: text.slice(text.indexOf('://') + 3) }
}

function tcpAddress(rest: string): TcpAddress {
  const text = `tcp://${rest.replace(/^(?=:|$)/, 'localhost')}`
  const url = parseUrl(text)
  // docker-modem drops a path, so the request would go elsewhere than the address says.
  if (url.username || url.password || !['', '/'].includes(url.pathname)) {
    throw new AddressError('excess', `${quoted(text)} contains more than a host and a port`)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || defaultPort)
  return { kind: 'tcp', text: `tcp://${url.hostname}:${port}`, host, port }
}

function sshAddress(text: string): SshAddress {
  const url = parseUrl(text)
  if (url.password) {
    throw new AddressError('password', 'an ssh:// address cannot contain a password: use a key or an agent')
  }
  return {
    kind: 'ssh',
    text,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    user: decodeURIComponent(url.username) || undefined,
    port: url.port || undefined,
    path: url.pathname.length > 1 ? decodeURIComponent(url.pathname) : undefined,
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === '' || url.search !== '' || url.hash !== '') {
    throw new AddressError(
      'form',
      `${quoted(text)} is not an address like tcp://host:2375 or ssh://user@host`,
    )
  }
  return url
}

/** An error must not repeat a password. */
function quoted(text: string): string {
  return `"${text.replace(/:[^/@]*@/, ':…@')}"`
}
