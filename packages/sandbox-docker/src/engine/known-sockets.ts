import { join } from 'node:path'
import { defaultSocket } from './address.ts'
import type { HostEnvironment } from './host-environment.ts'

/** An address at which some engine listens by default. */
export interface KnownSocket {
  readonly address: string
  readonly origin: string
  /** What to type to start that engine. */
  readonly start: string
}

/** Every known address, in the order in which they are tried. */
export function knownSockets(host: HostEnvironment): readonly KnownSocket[] {
  const { platform } = host
  if (platform === 'win32') return windowsPipes(host)
  const all = platform === 'darwin' ? macSockets(host) : linuxSockets(host)
  // The variables may well name the usual addresses.
  return all.filter(({ address }, index) => all.findIndex((other) => other.address === address) === index)
}

/** The address that docker's CLI uses without any configuration. */
export function defaultAddress({ platform }: HostEnvironment): KnownSocket {
  if (platform === 'win32') return pipe('docker_engine', 'the default pipe', startDesktop)
  const start = platform === 'darwin' ? openDesktop : '`sudo systemctl start docker`'
  return { address: defaultSocket, origin: 'the default socket', start }
}

const startDesktop = 'start Docker Desktop'
const openDesktop = '`open -a Docker`'

function windowsPipes(host: HostEnvironment): KnownSocket[] {
  return [
    defaultAddress(host),
    pipe('dockerDesktopLinuxEngine', 'the Docker Desktop pipe', startDesktop),
    pipe('podman-machine-default', 'the Podman pipe', '`podman machine start`'),
  ]
}

function linuxSockets(host: HostEnvironment): KnownSocket[] {
  const { environment, home, userId } = host
  const runtime = [environment.XDG_RUNTIME_DIR, userId === undefined ? undefined : `/run/user/${userId}`]
  const docker = '`systemctl --user start docker`'
  const desktop = '`systemctl --user start docker-desktop`'
  const podman = '`systemctl --user start podman.socket`'
  return [
    defaultAddress(host),
    // Without XDG_RUNTIME_DIR rootless Docker takes the home directory.
    ...sockets('the rootless socket', [...runtime, join(home, '.docker/run')], 'docker.sock', docker),
    ...sockets('the Docker Desktop socket', [home], '.docker/desktop/docker.sock', desktop),
    ...colimaAndRancher(host),
    ...sockets('the Podman socket', runtime, 'podman/podman.sock', podman),
    ...sockets('the Podman socket', ['/run'], 'podman/podman.sock', '`sudo systemctl start podman.socket`'),
  ]
}

function macSockets(host: HostEnvironment): KnownSocket[] {
  const { environment, home } = host
  const machine = join(home, '.local/share/containers/podman/machine')
  const machines = [machine, join(machine, 'podman-machine-default'), join(machine, 'qemu')]
  const podman = '`podman machine start`'
  return [
    defaultAddress(host),
    ...sockets('the Docker Desktop socket', [home], '.docker/run/docker.sock', openDesktop),
    ...sockets('the Docker Desktop socket', [home], '.docker/desktop/docker.sock', openDesktop),
    ...colimaAndRancher(host),
    ...sockets('the OrbStack socket', [home], '.orbstack/run/docker.sock', '`orb start`'),
    // Podman 5, and before it.
    ...sockets('the Podman socket', [environment.TMPDIR], 'podman/podman-machine-default-api.sock', podman),
    ...sockets('the Podman socket', machines, 'podman.sock', podman),
  ]
}

function colimaAndRancher({ environment, home }: HostEnvironment): KnownSocket[] {
  const { COLIMA_HOME, XDG_CONFIG_HOME } = environment
  const colima = [
    COLIMA_HOME,
    join(home, '.colima'),
    join(XDG_CONFIG_HOME || join(home, '.config'), 'colima'),
  ]
  return [
    ...sockets('the Colima socket', colima, 'default/docker.sock', '`colima start`'),
    ...sockets('the Rancher Desktop socket', [home], '.rd/docker.sock', '`rdctl start`'),
  ]
}

/** A directory that no variable names has no socket. */
function sockets(
  origin: string,
  directories: ReadonlyArray<string | undefined>,
  path: string,
  start: string,
): KnownSocket[] {
  return directories.flatMap((directory) =>
    directory ? [{ address: `unix://${join(directory, path)}`, origin, start }] : [],
  )
}

function pipe(name: string, origin: string, start: string): KnownSocket {
  return { address: `npipe:////./pipe/${name}`, origin, start }
}
