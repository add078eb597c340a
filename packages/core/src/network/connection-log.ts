import type { Notice } from '../code-result.ts'
import type { NetworkConnection } from './network-connection.ts'

/** How many connections of a block are kept, and how many of those that were refused a notice names. */
const mostConnections = 1_000
const mostNamed = 10

/** The connections of a block, within bounds whatever a program does. */
export class ConnectionLog {
  readonly connections: NetworkConnection[] = []
  readonly #redact: (text: string) => string
  readonly #refused = new Set<string>()
  #refusedCount = 0

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  /** @returns it as it may be shown; `undefined` where there were too many. */
  add({ host, reason, ...rest }: NetworkConnection): NetworkConnection | undefined {
    const redacted = {
      ...rest,
      host: this.#redact(host),
      ...(reason === undefined ? {} : { reason: this.#redact(reason) }),
    }
    if (rest.verdict === 'refused') this.#addRefused(`${redacted.host}:${rest.port}`)
    if (this.connections.length >= mostConnections) return undefined
    this.connections.push(redacted)
    return redacted
  }

  /** For who reads the result, and mostly for the model: what the program could not reach, and why. */
  get notice(): Notice | undefined {
    if (this.#refusedCount === 0) return undefined
    const named = [...this.#refused].join(', ')
    const more =
      this.#refusedCount > this.#refused.size ? `, and others (${this.#refusedCount} connections)` : ''
    return {
      code: 'network-refused',
      message: `The program may reach only what is in the network list of its sandbox, and was refused: ${named}${more}.`,
    }
  }

  #addRefused(name: string): void {
    this.#refusedCount++
    if (this.#refused.size < mostNamed) this.#refused.add(name)
  }
}
