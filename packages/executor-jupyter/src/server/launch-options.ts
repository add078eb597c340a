import { randomBytes } from 'node:crypto'
import { pythonSource } from '../python-source.ts'

/** Where a server listens, and what it serves. */
export interface ServerLaunch {
  readonly ip: string
  /** Default: a free one, which the launcher says. */
  readonly port?: number
  readonly token: string
  /** The directory below which kernels can be started. */
  readonly root: string
}

/** What the launcher prints before the port. */
export const portWord = 'fenced-jupyter-port:'

/** Exit code of the launcher where the Python has no Jupyter Server. */
export const notInstalledExitCode = 86

/** First line of stdin of `server_launcher.py`. */
export function launchLine({ ip, port, token, root }: ServerLaunch): string {
  const options = [
    `--ServerApp.ip=${ip}`,
    ...(port === undefined ? [] : [`--ServerApp.port=${port}`]),
    '--ServerApp.port_retries=0',
    // In seconds, until a kernel that was asked to end is killed. The server sends SIGTERM after half of it, which cuts off what a
    // kernel writes last: on busy machines a kernel took longer than 10 s.
    '--KernelManager.shutdown_wait_time=60',
    `--IdentityProvider.token=${token}`,
    // Otherwise it is a file, with which a kernel can log in.
    `--ServerApp.cookie_secret=${randomBytes(32).toString('hex')}`,
    '--ServerApp.open_browser=False',
    '--ServerApp.allow_root=True',
    `--ServerApp.root_dir=${root}`,
    // Output that comes fast is not less wanted: our own limit keeps its beginning and its end.
    '--ZMQChannelsWebsocketConnection.limit_rate=False',
    // A kernel that dies is noticed in a moment, instead of three seconds.
    '--KernelRestarter.time_to_dead=0.25',
  ]
  const launch = {
    options,
    isGuest: port === undefined,
    portWord,
    notInstalledExitCode,
    kernelLauncher: pythonSource('launch_kernel'),
  }
  return `${JSON.stringify(launch)}\n`
}
