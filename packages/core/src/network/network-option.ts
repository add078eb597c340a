/** The `network` option of sandboxes and executors: no network, an open network, or an allowlist. */
export type NetworkOption = 'none' | 'open' | NetworkAllowlist

/**
 * A network allowlist: only HTTP and HTTPS to the listed hosts, without name resolution in the sandbox. This process checks each
 * connection, resolves the name, and connects; the sandbox has only its loopback interface. With an empty list, only connections
 * that `ask` allows are possible.
 */
export interface NetworkAllowlist {
  /**
   * Host names: `api.example.com` matches that host; `*.example.org` matches every name below `example.org`, but not
   * `example.org` itself. A name must resolve to a public address or to one in `allowedCIDRs`.
   *
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Address ranges that can be reached, either directly or as addresses to which an allowed name resolves. They can be private:
   * `10.1.0.0/16`, `fd00::/8`.
   *
   * @default []
   */
  readonly allowedCIDRs?: readonly string[] | undefined
  /**
   * Address ranges that are always refused, regardless of all other options and answers.
   *
   * @default []
   */
  readonly deniedCIDRs?: readonly string[] | undefined
  /**
   * Allowed TCP ports.
   *
   * @default [80, 443]
   */
  readonly ports?: readonly number[] | undefined
  /**
   * Maximum number of connections at a time.
   *
   * @default 256
   */
  readonly maxConnections?: number | undefined
  /**
   * Maximum number of bytes over all connections from the sandbox's start to its stop, in both directions combined.
   *
   * @default 10_737_418_240
   */
  readonly maxBytes?: number | undefined
  /**
   * Secrets that programs can use but never see, keyed by environment variable; see {@link NetworkSecret}. Startup rejects with
   * `SECRETS_UNAVAILABLE` if the package `node-forge` is not installed.
   *
   * @default none
   */
  readonly secrets?: Readonly<Record<string, NetworkSecret>> | undefined
  /**
   * Path of a file with additional trusted certificates (PEM), for `secrets` hosts that have a private certificate. It is read
   * when the sandbox is created.
   *
   * @default none
   */
  readonly caFile?: string | undefined
}

/**
 * A secret, such as an API token, for certain hosts. In programs, the environment variable contains only a placeholder. If a
 * program sends the placeholder to one of the hosts in one of the headers, this process replaces it with the secret, and it
 * overwrites the secret with `*` in the host's response. To do so, this process terminates TLS connections to these hosts, using
 * a certificate authority that only programs in the sandbox trust.
 */
export interface NetworkSecret {
  /** The secret: 8 to 4,096 printable ASCII characters without spaces. */
  readonly value: string
  /**
   * Host names, with a port if it is not 443: `api.github.com`, `api.example.com:8443`. With the prefix `http://`, the secret is
   * sent unencrypted, to port 80 by default. Programs can reach a host only if it is also on the allowlist, or if a person allows
   * the connection.
   */
  readonly hosts: readonly string[]
  /**
   * Request headers in which the placeholder is replaced. In `Authorization: Basic`, it can be part of the credentials.
   *
   * @default ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'private-token', 'x-auth-token']
   */
  readonly headers?: readonly string[] | undefined
}
