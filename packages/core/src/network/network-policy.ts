/** Network policy for the code, in the shape of the AI SDK's `HarnessV1NetworkPolicy`. */
export type NetworkPolicy = { readonly mode: 'allow-all' } | { readonly mode: 'deny-all' } | CustomNetwork

/**
 * A network allowlist: only HTTP and HTTPS to the listed hosts, without name resolution. This process decides about
 * each connection, then resolves the name and connects; the sandbox only has its loopback.
 * An empty list allows only the connections that `approveNetwork` of `execute` allows.
 */
export interface CustomNetwork {
  /** Discriminator of {@link NetworkPolicy}. */
  readonly mode: 'custom'
  /**
   * Names: `api.example.com` is that host, `*.example.org` every name below `example.org` and not itself. What a name resolves to
   * must be a public address, or one of `allowedCIDRs`.
   *
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Ranges of addresses that may be reached, by their address or as what an allowed name resolves to, also private ones:
   * `10.1.0.0/16`, `fd00::/8`.
   *
   * @default []
   */
  readonly allowedCIDRs?: readonly string[] | undefined
  /**
   * Ranges that are always refused. They override every other option and answer.
   *
   * @default []
   */
  readonly deniedCIDRs?: readonly string[] | undefined
  /**
   * TCP ports.
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
   * Maximum bytes of all connections between a start of the sandbox and its stop, both directions together.
   *
   * @default 10_737_418_240
   */
  readonly maxBytes?: number | undefined
  /**
   * Secrets that programs use and never have, by the names of variables: see {@link NetworkSecret}. The start rejects with
   * `SECRETS_UNAVAILABLE` where the package `node-forge` is not installed.
   *
   * @default none
   */
  readonly secrets?: Readonly<Record<string, NetworkSecret>> | undefined
  /**
   * Additional trusted certificates, in PEM, for hosts of `secrets` with a private certificate.
   *
   * @default none
   */
  readonly ca?: string | undefined
}

/**
 * A secret, such as the token of an API, for some hosts. The variable of programs has a placeholder. Where they send that to one of the
 * hosts, in one of the headers, this process puts the secret in, and in what the host answers it writes `*` over the secret. For this TLS to
 * these hosts ends in this process, which programs trust by a certificate authority of their sandbox alone.
 */
export interface NetworkSecret {
  /** 8 to 4,096 printable ASCII characters without spaces. */
  readonly value: string
  /**
   * Names, with a port where that is not 443: `api.github.com`, `api.example.com:8443`. With `http://` before it the secret goes to the host
   * in the clear, at port 80 unless it names one. Programs reach a host only if it is in the list as well, or if a person allows it.
   */
  readonly hosts: readonly string[]
  /**
   * The headers of requests in which it is put. In `Authorization: Basic` it may be a part of the login.
   *
   * @default ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'private-token', 'x-auth-token']
   */
  readonly headers?: readonly string[] | undefined
}
