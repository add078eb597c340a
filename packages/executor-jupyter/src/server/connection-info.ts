import type { Duplex } from 'node:stream'
import type {
  BoundedResources,
  ComponentConfig,
  Isolation,
  LimitsInForce,
  SandboxNetwork,
  StartOptions,
  ToConfigOptions,
} from '@fenced/core'
import type { IsolationParticulars } from '@fenced/core/driver'
import { z } from 'zod'

/** Where a Jupyter Server or a Kernel Gateway is. */
export interface JupyterConnectionInfo {
  /**
   * Name or address of the machine.
   */
  readonly host: string
  /**
   * The port; Jupyter itself takes 8888 unless it is given another.
   *
   * @default 443 with `useHttps`, else 80
   */
  readonly port?: number | undefined
  /**
   * Whether the connection is encrypted. Without it everybody on the way can read the token.
   *
   * @default false
   */
  readonly useHttps?: boolean | undefined
  /**
   * The server's token.
   *
   * @default none, for a server without authentication
   */
  readonly token?: string | undefined
  /**
   * More headers for every request: a login that a proxy in front of the server wants, as in `Cookie`. A `token` replaces
   * `Authorization` in them.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * The path under which the server answers: `/user/ann/`.
   *
   * @default '/'
   */
  readonly baseUrl?: string | undefined
  /**
   * Certificates to trust beside the usual ones, in PEM: for a server with a certificate of its own.
   *
   * @default none
   */
  readonly ca?: string | undefined
}

/** Where a Jupyter Server or a Kernel Gateway is, as a schema. */
export const jupyterConnectionInfoSchema = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).optional(),
  useHttps: z.boolean().default(false),
  token: z.string().optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^`|~\w-]+$/), z.string().regex(/^[^\r\n\0]*$/)).optional(),
  baseUrl: z.string().default('/'),
  ca: z.string().optional(),
})

/**
 * Opens a connection to a server. Rejects with the signal's reason when that is aborted; later the signal means nothing. Where
 * the connection has `ref` and `unref`, as a socket has, a kernel that nobody waits for lets this process end.
 */
export type OpenConnection = (options: { readonly signal: AbortSignal }) => Promise<Duplex>

/** Where a server is that somebody starts for us, and the way to it. */
export interface JupyterConnection extends JupyterConnectionInfo {
  /**
   * The way to it where that is not a network: `host` and `port` are what the server calls itself then. Nothing on it is
   * encrypted.
   *
   * @default TCP, to `host` and `port`
   */
  readonly open?: OpenConnection | undefined
}

/** A server that somebody starts for us. It outlives the executors that use it; its maker stops it. */
export interface JupyterServer {
  /** What stands between its kernels and this machine. */
  readonly isolation: Isolation
  /** What else bounds them, in the words of the server's own options. Default none. */
  readonly isolationParticulars?: IsolationParticulars
  /** Whether its kernels can reach the network. */
  readonly network: boolean
  /** The connections of its kernels, where their network is a list. */
  readonly connections?: SandboxNetwork | undefined
  /** Which resources of its kernels are bounded. */
  readonly limits: BoundedResources
  /**
   * Limits of its kernels, as its last start found them.
   *
   * @default not known
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** The directory of this machine in which its kernels begin, where there is one. */
  readonly bindDir?: string | undefined
  /** Starts it unless it runs, and says where it is. */
  connect(options?: StartOptions): Promise<JupyterConnection>
  /**
   * What the server calls a directory of this machine, relative to its own root; `undefined` where its kernels do
   * not see it.
   */
  kernelPath(directory: string): string | undefined
  /** What it is made of, for the config of its executors. Absent where it cannot say so. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
