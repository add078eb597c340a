import { type Address, parseAddress } from './address.ts'

/** Locations of the certificates for a TLS connection. */
export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Whether to verify the engine's identity. */
  readonly verify: boolean
}

/** An address at which an engine is, or may be, available. It contains no secrets. */
export interface Endpoint {
  /** Address: `unix:///var/run/docker.sock`, `npipe:////./pipe/docker_engine`, `tcp://host:2375` or `ssh://user@host`. */
  readonly address: string
  /** Origin of the address, in words: `DOCKER_HOST`, `the docker context "colima"`, `the default socket`. */
  readonly origin: string
  /**
   * Whether the engine may be on this machine: a socket, a pipe, a loopback address. An engine in a virtual machine also has such
   * a socket, so this does not guarantee that the engine can see this machine's files.
   */
  readonly isLocal: boolean
  /** TLS files for the connection. Absent without TLS. */
  readonly tls?: TlsFiles
}

/** @throws Error whose message says what is wrong with the address. */
export function endpointAt(text: string, origin: string, tls?: TlsFiles): Endpoint {
  const address = parseAddress(text)
  return {
    address: address.text,
    origin,
    isLocal: isLocal(address),
    // Docker's CLI has no use for certificates on a socket or through ssh either.
    ...(tls !== undefined && address.kind === 'tcp' ? { tls } : {}),
  }
}

function isLocal(address: Address): boolean {
  if (address.kind === 'ssh') return false
  return address.kind === 'socket' || /^(localhost|127(\.\d+){3}|::1)$/.test(address.host)
}
