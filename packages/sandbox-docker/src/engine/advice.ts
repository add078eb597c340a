import { parseAddress, type SshAddress } from './address.ts'
import type { HostEnvironment } from './host-environment.ts'
import { knownSockets } from './known-sockets.ts'
import type { Failure } from './unreachable.ts'

export const joinTheGroup =
  'Add yourself to the group docker: `sudo usermod -aG docker $USER`, then log in again. Or use rootless Docker.'
const checkCertificates =
  'Check the certificates: `tls` of the `docker` option, or DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or those of the docker context.'

/** What to type next, for the failure that says most. */
export function adviceFor(failures: readonly Failure[], host: HostEnvironment): string {
  const failure = failures.find(({ fault }) => fault.kind !== 'absent') ?? failures[0]
  if (failure === undefined) return 'Install Docker.'
  const { endpoint, fault } = failure
  if (fault.kind === 'tls') return checkCertificates
  const address = parseAddress(endpoint.address)
  if (address.kind === 'ssh') return `Try it by hand: \`${byHand(address)}\`.`
  const isDocker = address.kind === 'socket' && !address.path.includes('podman')
  if (fault.kind === 'denied' && isDocker && host.platform === 'linux') return joinTheGroup
  const start = knownSockets(host).find((socket) => socket.address === endpoint.address)?.start
  if (start === undefined || fault.kind === 'other') {
    return `Try it by hand: \`docker --host ${endpoint.address} version\`; \`docker context ls\` lists other engines.`
  }
  return `Start the engine: ${start}${failures.length > 1 ? ', or install Docker if there is none' : ''}.`
}

function byHand({ user, host, port, path }: SshAddress): string {
  const destination = `${port === undefined ? '' : `-p ${port} `}${user === undefined ? '' : `${user}@`}${host}`
  return `ssh ${destination} docker ${path === undefined ? '' : `--host unix://${path} `}version`
}
