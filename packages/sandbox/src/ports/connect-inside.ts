import type { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import type { Sandbox } from '@fenced/core/sandbox'
import { connectionPrograms } from '../embedded.ts'
import { RelayedConnection } from './relayed-connection.ts'

const pythonRelay = ['-I', '-S', '-c', connectionPrograms.python]
/** Programs that relay a connection, by name, with the arguments before the port. Best first. */
const relays: Readonly<Record<string, readonly string[]>> = {
  python3: pythonRelay,
  python: pythonRelay,
  node: ['-e', connectionPrograms.node],
}

/** Options for {@link connectInside}. */
export interface ConnectInsideOptions {
  /** Cancels connecting. If aborted later, destroys the connection. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Connects to a TCP port on a sandbox's loopback interface, without a network in between: a process in the sandbox relays the
 * data. It uses the first of `python3`, `python` and `node` that is available and works. Each direction of a connection can be
 * closed separately.
 *
 * Destroying the connection ends the process, and the connection ends when the process does.
 *
 * @param sandbox - Sandbox whose `spawn` and `which` are used.
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_PORT_CLOSED` if nothing is listening, or the sandbox has neither Python nor Node; errors from `spawn`
 *   and `which`; `SANDBOX_GONE` or `ENGINE_LOST` if the sandbox or the connection to it is lost.
 * @example
 * const connection = await connectInside(sandbox, 8080)
 */
export async function connectInside(
  sandbox: Pick<Sandbox, 'spawn' | 'which'>,
  port: number,
  options: ConnectInsideOptions = {},
): Promise<Duplex> {
  const { signal } = knownOptions(options, { signal: true }, 'connect()')
  signal?.throwIfAborted()
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw closed(port, 'there is no such TCP port.')
  const names = Object.keys(relays)
  const found = await sandbox.which(names, signal === undefined ? {} : { signal })
  const problems: string[] = []
  for (const [name, args] of Object.entries(relays)) {
    const program = found.get(name)
    if (program === undefined) continue
    const connection = await RelayedConnection.start((...all) => sandbox.spawn(...all), {
      command: [program, ...args, `${port}`],
      port,
      signal,
    })
    // Until the socket is returned, this call reports its errors.
    const ignore = () => {}
    connection.on('error', ignore)
    const state = await connection.connected
    if (state === 'connected') {
      connection.off('error', ignore)
      return connection
    }
    connection.destroy()
    if ('refused' in state)
      throw closed(port, `nothing is listening there (${state.refused}).`, { reason: state.refused })
    problems.push(`${program} does not work (${state.unusable})`)
  }
  const why = problems.join(', ') || `looked for ${names.join(', ')}`
  throw closed(port, `no working Python or Node in the sandbox (${why}). Use an image with Python or Node.`, {
    program: names.join(', '),
  })
}

function closed(port: number, why: string, data: Readonly<Record<string, string>> = {}): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: ${why}`,
    data: { port: `${port}`, ...data },
  })
}
