import type { NetworkConnection } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { SecretServers } from './secret-servers.ts'

/** Context of a row. */
export interface SecretsContext {
  readonly servers: SecretServers
  readonly sandbox: Sandbox
  /** The secret, which no program may read. It matches `secretPattern`. */
  readonly value: string
  readonly connections: readonly NetworkConnection[]
  /**
   * Runs a program of Python and returns what it wrote, in which the value was looked for. Variables: `http`, `https`, `false` are
   * ports, `token` is what the program has; `secure(host)` is TLS with a host, `fetch(url, headers)` the answer as text.
   */
  readonly run: (code: string) => Promise<string>
}

/** One way to use a secret, or to get at it. */
export interface SecretRow {
  readonly name: string
  readonly check: (context: SecretsContext) => Promise<void>
}
