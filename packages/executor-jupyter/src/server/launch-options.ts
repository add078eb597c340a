import { randomBytes } from 'node:crypto'

/** Where a server listens, and what it serves. */
export interface ServerPlace {
  readonly ip: string
  readonly port: number
  readonly token: string
  /** The directory below which kernels can be started. */
  readonly root: string
  /** Where it keeps the files of its kernels. Default: where Jupyter does. */
  readonly runtimeDirectory?: string
}

/** What the launcher gives to `jupyter server`. */
export function launchOptions({ ip, port, token, root, runtimeDirectory }: ServerPlace): readonly string[] {
  return [
    `--ServerApp.ip=${ip}`,
    `--ServerApp.port=${port}`,
    '--ServerApp.port_retries=0',
    `--IdentityProvider.token=${token}`,
    // Otherwise it is a file, with which a kernel can log in.
    `--ServerApp.cookie_secret=${randomBytes(32).toString('hex')}`,
    // Not as a variable: kernels inherit those.
    ...(runtimeDirectory === undefined ? [] : [`--ServerApp.runtime_dir=${runtimeDirectory}`]),
    '--ServerApp.open_browser=False',
    '--ServerApp.allow_root=True',
    `--ServerApp.root_dir=${root}`,
    // Output that comes fast is not less wanted: our own limit keeps its beginning and its end.
    '--ZMQChannelsWebsocketConnection.limit_rate=False',
    // A kernel that dies is noticed in a moment, instead of three seconds.
    '--KernelRestarter.time_to_dead=0.25',
  ]
}
