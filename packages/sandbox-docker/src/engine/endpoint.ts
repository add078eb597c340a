import { type Address, parseAddress } from './address.ts'
import type { TlsFiles } from './tls-files.ts'

/** An address at which an engine is, or may be. It holds no secret. */
export interface Endpoint {
  /** `unix:///var/run/docker.sock`, `npipe:////./pipe/docker_engine`, `tcp://host:2375` or `ssh://user@host`. */
  readonly address: string
  /** Who named it, in words: `DOCKER_HOST`, `the docker context "colima"`, `the default socket`. */
  readonly origin: string
  /**
   * Whether it may be this machine: a socket, a pipe, a loopback address. A virtual machine's engine has such a
   * socket as well, so it is no promise that the engine sees this machine's files.
   */
  readonly isLocal: boolean
  /** How it is secured; absent without TLS. */
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
