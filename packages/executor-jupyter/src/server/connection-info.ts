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
   * The port. A Jupyter server uses 8888 by default.
   *
   * @default 443 with `useHttps`, else 80
   */
  readonly port?: number | undefined
  /**
   * Whether to use TLS. Without TLS, the token can be read on the network.
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
   * Additional headers for every request, such as a `Cookie` for a proxy with a login. A `token` replaces the header `Authorization`.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Base path of the server, such as `/user/ann/`.
   *
   * @default '/'
   */
  readonly baseUrl?: string | undefined
  /**
   * Additional certificates to trust, in PEM, for a server with a private certificate authority.
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
 * Opens a connection to a server. Rejects with the signal's reason when the signal is aborted before the connection is open. An idle
 * kernel lets this process end if the connection has `ref` and `unref`, as a socket has.
 */
export type OpenConnection = (options: { readonly signal: AbortSignal }) => Promise<Duplex>

/** Address of a managed server, and how to connect to it. */
export interface JupyterConnection extends JupyterConnectionInfo {
  /**
   * Opens connections to a server that is not reached over the network. `host` and `port` are then the server's own. The connection
   * is not encrypted.
   *
   * @default TCP, to `host` and `port`
   */
  readonly open?: OpenConnection | undefined
}

/** A managed server. It outlives the executors that use it; its owner stops it. */
export interface JupyterServer {
  /** Isolation of its kernels from this machine. */
  readonly isolation: Isolation
  /** Other limits of its kernels, named like the server's options. @default none */
  readonly isolationParticulars?: IsolationParticulars
  /** Whether its kernels can reach the network. */
  readonly network: boolean
  /** Connections of its kernels, where their network is an allowlist. */
  readonly connections?: SandboxNetwork | undefined
  /** Which resources of its kernels are bounded. */
  readonly limits: BoundedResources
  /**
   * Limits of its kernels, as its last start found them.
   *
   * @default not known
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** Directory of this machine in which its kernels start; absent where they start elsewhere. */
  readonly bindDir?: string | undefined
  /** Starts the server unless it runs. @returns its address. */
  connect(options?: StartOptions): Promise<JupyterConnection>
  /**
   * The server's path of a directory of this machine, relative to the server's root; `undefined` where its kernels do not see the
   * directory.
   */
  kernelPath(directory: string): string | undefined
  /** Returns the server's config, for the config of its executors. Absent for a server that cannot be described. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
