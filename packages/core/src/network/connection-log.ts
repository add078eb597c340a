import type { Notice } from '../vocabulary/code-result.ts'
import type { NetworkConnection } from '../vocabulary/network-connection.ts'

type Verdict = NetworkConnection['verdict']

/** Connections of a block that are kept, for each verdict: refused ones cannot hide allowed ones. */
const mostConnections = 1_000
/** Hosts that a notice names, and hosts whose bytes are counted. */
const mostNamed = 10
const mostCounted = 1_000

/** The connections of a block, bounded. */
export class ConnectionLog {
  readonly connections: NetworkConnection[] = []
  readonly #redact: (text: string) => string
  readonly #counts: Record<Verdict, number> = { allowed: 0, refused: 0, failed: 0 }
  readonly #refused = new Set<string>()
  /** Bytes sent by allowed connections that are left out: all, and by host. */
  #bytesLeftOut = 0
  readonly #hostsLeftOut = new Map<string, number>()

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  /** @returns it as it may be shown; `undefined` where there were too many with its verdict. */
  add({ host, reason, ...rest }: NetworkConnection): NetworkConnection | undefined {
    const redacted = {
      ...rest,
      host: this.#redact(host),
      ...(reason === undefined ? {} : { reason: this.#redact(reason) }),
    }
    const name = `${redacted.host}:${rest.port}`
    if (rest.verdict === 'refused' && this.#refused.size < mostNamed) this.#refused.add(name)
    if (++this.#counts[rest.verdict] > mostConnections) {
      if (rest.verdict === 'allowed') this.#leaveOut(name, rest.bytesSent)
      return undefined
    }
    this.connections.push(redacted)
    return redacted
  }

  /** Notices for the model: connections that failed, and connections that are left out. */
  get notices(): readonly Notice[] {
    return [this.#refusedNotice(), this.#leftOutNotice()].filter((notice) => notice !== undefined)
  }

  #leaveOut(name: string, bytesSent: number): void {
    this.#bytesLeftOut += bytesSent
    const before = this.#hostsLeftOut.get(name)
    if (before !== undefined || this.#hostsLeftOut.size < mostCounted)
      this.#hostsLeftOut.set(name, (before ?? 0) + bytesSent)
  }

  #refusedNotice(): Notice | undefined {
    const { refused } = this.#counts
    if (refused === 0) return undefined
    const named = [...this.#refused].join(', ')
    const more = refused > this.#refused.size ? `, and others (${refused} connections)` : ''
    return {
      code: 'network-refused',
      message: `The program may reach only the hosts on its sandbox’s network allowlist, and was refused: ${named}${more}. If the code may reach them, add them to \`allowedHosts\` (for the \`fenced\` command: \`--network\`).`,
      data: { hosts: named, count: `${refused}` },
    }
  }

  #leftOutNotice(): Notice | undefined {
    const counts = Object.entries(this.#counts)
      .map(([verdict, count]) => [verdict, `${count - mostConnections}`] as const)
      .filter(([, count]) => Number(count) > 0)
    if (counts.length === 0) return undefined
    const byBytes = [...this.#hostsLeftOut].sort(([, one], [, other]) => other - one)
    const hosts = byBytes.slice(0, mostNamed).map(([name]) => name)
    const named = byBytes.length > mostNamed ? `${hosts.join(', ')} and others` : hosts.join(', ')
    const left = counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ')
    const sent = `The allowed ones sent ${this.#bytesLeftOut} bytes to ${named}. `
    return {
      code: 'connections-left-out',
      message: `The program made too many connections to list. The result lists the first ${mostConnections} for each verdict and leaves out: ${left}. ${hosts.length > 0 ? sent : ''}Watch \`sandbox.network\` to see all of them.`,
      data: {
        ...Object.fromEntries(counts),
        ...(hosts.length > 0 ? { hosts: hosts.join(', '), bytesSent: `${this.#bytesLeftOut}` } : {}),
      },
    }
  }
}
