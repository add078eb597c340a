import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests of one connection that may wait for an answer to the request before them. Clients pipeline about 10. */
const mostWaiting = 100

/** Passes on the requests of each connection one after the other: the next one begins when the one before it is answered. */
export class RequestQueue {
  readonly #pass: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly #connections = new WeakMap<Duplex, { waiting: number; last: Promise<void> }>()

  /** @param pass - never rejects. */
  constructor(pass: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.#pass = pass
  }

  /** Adds a request of a connection. A connection on which too many wait is closed. */
  add(incoming: IncomingMessage, response: ServerResponse): void {
    const program: Duplex = incoming.socket
    const queue = this.#connections.get(program) ?? { waiting: 0, last: Promise.resolve() }
    this.#connections.set(program, queue)
    queue.waiting++
    if (queue.waiting > mostWaiting) program.destroy()
    queue.last = queue.last.then(async () => {
      queue.waiting--
      if (program.destroyed || program.writableEnded) return
      const { promise: answered, resolve } = Promise.withResolvers<void>()
      response.once('close', resolve)
      await this.#pass(incoming, response)
      await answered
    })
  }
}
