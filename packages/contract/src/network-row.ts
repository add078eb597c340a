import type { NetworkAllowlist, NetworkConnection } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { NetworkServers } from './network-servers.ts'

/** Context of a row. */
export interface NetworkContext {
  readonly hasHelperUser: boolean
  readonly servers: NetworkServers
  readonly sandbox: Sandbox
  /** Names that were resolved since the last row. */
  readonly lookups: string[]
  /** Connections since the last row. */
  readonly connections: NetworkConnection[]
  /** Runs a program of Python and returns what it wrote. Variables: `proxy`, `http`, `tcp` are ports; `ask(words)` sends to the proxy. */
  readonly run: (code: string, sandbox?: Sandbox) => Promise<string>
  /** Starts another sandbox, with other limits. */
  readonly start: (limits: Partial<NetworkAllowlist>) => Promise<Sandbox>
}

/** One sentence of the contract of a network by list. */
export interface NetworkRow {
  readonly name: string
  readonly check: (context: NetworkContext) => Promise<void>
}
