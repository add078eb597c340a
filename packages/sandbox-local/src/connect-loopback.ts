import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'

/** Connects to a port of this machine. @throws FencedError `SANDBOX_PORT_CLOSED`; the signal's reason. */
export async function connectLoopback(port: number, signal: AbortSignal | undefined): Promise<Duplex> {
  signal?.throwIfAborted()
  const address = { host: '127.0.0.1', port, allowHalfOpen: true }
  const socket = connect({ ...address, ...(signal === undefined ? {} : { signal }) })
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  socket.once('connect', () => resolve(socket)).once('error', reject)
  try {
    return await promise
  } catch (cause) {
    signal?.throwIfAborted()
    throw portClosed(port, 'nothing is listening there.', cause)
  }
}

export function portClosed(port: number, why: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: ${why}`,
    data: { port: `${port}` },
    cause,
  })
}
