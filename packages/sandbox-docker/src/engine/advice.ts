import { parseAddress, type SshAddress } from './address.ts'
import type { Failure, FaultKind } from './fault.ts'
import type { HostEnvironment } from './host-environment.ts'
import { knownSockets } from './known-sockets.ts'

/** What to do next, and the command in it. */
export interface Advice {
  readonly next: string
  readonly command?: string
}

export const joinDockerGroup = {
  next: 'Add yourself to the docker group: `sudo usermod -aG docker $USER`, then log in again. Or use rootless Docker.',
  command: 'sudo usermod -aG docker $USER',
} satisfies Advice
export const checkCertificates =
  'Check the certificates: `tls` of the `docker` option, or DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or the certificates of the docker context.'

/** Kinds of fault of an engine that may not have been started. */
const mayBeStopped = new Set<FaultKind>(['absent', 'dead', 'denied'])

/** What to type next, for the failure that says most. */
export function adviceFor(failures: readonly Failure[], host: HostEnvironment): Advice {
  const failure = failures.find(({ fault }) => fault.kind !== 'absent') ?? failures[0]
  if (failure === undefined) return { next: 'Install Docker.' }
  const { endpoint, fault } = failure
  if (fault.kind === 'tls') return { next: checkCertificates }
  const address = parseAddress(endpoint.address)
  if (address.kind === 'ssh') {
    const command = byHand(address)
    return { next: `Try it by hand: \`${command}\`.`, command }
  }
  const isDocker = address.kind === 'socket' && !address.path.includes('podman')
  if (fault.kind === 'denied' && isDocker && host.platform === 'linux') return joinDockerGroup
  const start = knownSockets(host).find((socket) => socket.address === endpoint.address)?.start
  if (start === undefined || !mayBeStopped.has(fault.kind)) {
    const command = `docker --host ${endpoint.address} version`
    return { next: `Try it by hand: \`${command}\`; \`docker context ls\` lists other engines.`, command }
  }
  const next = `Start the engine: ${start}${failures.length > 1 ? ', or install Docker' : ''}.`
  return start.startsWith('`') ? { next, command: start.replaceAll('`', '') } : { next }
}

function byHand({ user, host, port, path }: SshAddress): string {
  const destination = `${port === undefined ? '' : `-p ${port} `}${user === undefined ? '' : `${user}@`}${host}`
  return `ssh ${destination} docker ${path === undefined ? '' : `--host unix://${path} `}version`
}
