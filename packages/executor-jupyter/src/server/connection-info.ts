import type { Duplex } from 'node:stream'
import type {
  ComponentConfig,
  ExecutorCapabilities,
  Isolation,
  LimitsInForce,
  NetworkAccess,
  SandboxNetwork,
  StartOptions,
  ToConfigOptions,
} from '@fenced/core'
import type { IsolationParticulars } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'

import { caFileSchema } from '@fenced/sandbox/driver'

/** Address of a Jupyter Server or Kernel Gateway. */
export interface JupyterConnectionInfo {
  /** Host name or IP address of the server. */
  readonly host: string
  /**
   * Port of the server. Jupyter Server uses 8888 by default.
   *
   * @default 443 with `useHttps`, else 80
   */
  readonly port?: number | undefined
  /**
   * Whether to use TLS. Without TLS, others on the network can read the token.
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
   * Additional headers for every request, such as a `Cookie` for a proxy that requires a login. A `token` replaces the
   * `Authorization` header.
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
   * Path of the certificate (PEM) of the authority that vouches for the server.
   *
   * @default the authorities that Node trusts
   */
  readonly caFile?: string | undefined
}

/** Schema for the address of a Jupyter Server or Kernel Gateway. */
export const jupyterConnectionInfoSchema = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).optional(),
  useHttps: z.boolean().default(false),
  token: z.string().optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^`|~\w-]+$/), z.string().regex(/^[^\r\n\0]*$/)).optional(),
  baseUrl: z.string().default('/'),
  caFile: caFileSchema.optional(),
})

/**
 * Opens a connection to a server. Rejects with the signal's reason if the signal is aborted before the connection is open. If the
 * connection has `ref` and `unref`, as a socket does, an idle kernel does not keep this process running.
 */
export type OpenConnection = (options: { readonly signal: AbortSignal }) => Promise<Duplex>

/** Address of a managed server, and how to connect to it. */
export interface JupyterConnection extends JupyterConnectionInfo {
  /**
   * Opens connections to a server that is not reached over the network. `host` and `port` are then the server's own, and the
   * connection is not encrypted.
   *
   * @default TCP, to `host` and `port`
   */
  readonly open?: OpenConnection | undefined
}

/** A managed server. It outlives the executors that use it; its owner stops it. */
export interface JupyterServer {
  /** Isolation of its kernels from this machine. */
  readonly isolation: Isolation
  /** Further details of the isolation, named like the server's options. @default none */
  readonly isolationParticulars?: IsolationParticulars
  /** Network access of its kernels. */
  readonly network: NetworkAccess
  /** Connections of its kernels, if their network access is limited to an allowlist. */
  readonly connections?: SandboxNetwork | undefined
  /** Resources of its kernels that are limited. */
  readonly limits: ExecutorCapabilities['limits']
  /**
   * Limits on its kernels, as measured when the server last started.
   *
   * @default not known
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** Directory on this machine in which its kernels start. Absent if they start elsewhere. */
  readonly workDir?: string | undefined
  /**
   * Starts the server unless it is running.
   *
   * @returns The server's address.
   */
  connect(options?: StartOptions): Promise<JupyterConnection>
  /**
   * Returns the server's path for a directory on this machine, relative to the server's root, or `undefined` if its kernels
   * cannot see the directory.
   */
  kernelPath(directory: string): string | undefined
  /** Returns the server's config, for use in its executors' configs. Absent if the server cannot be described as data. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
