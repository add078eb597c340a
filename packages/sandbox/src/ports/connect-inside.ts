import type { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import { relayPrograms } from './relay-programs.ts'
import { RelayedConnection } from './relayed-connection.ts'

/** Options for {@link connectInside}. */
export interface ConnectInsideOptions {
  /** Cancels connecting. If aborted later, destroys the connection. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Connects to a TCP port on a sandbox's loopback interface, without a network in between: a process in the sandbox relays the
 * data. It uses the first of `python3`, `perl`, `nc` and `bash` (with `cat`) that is available and works.
 *
 * With Python and Perl, each direction of a connection can be closed separately. With `nc` and `bash`, the connection ends when
 * the server closes its side. With `bash`, or an `nc` that cannot close one direction, it also ends once you have closed your
 * side and no data has arrived for two seconds.
 *
 * Destroying the connection ends the process, and the connection ends when the process does.
 *
 * @param sandbox - Sandbox whose `spawn` and `which` are used.
 * @throws FencedError `SANDBOX_PORT_CLOSED` if nothing is listening, or no program can relay the data; errors from `spawn` and
 *   `which`; `SANDBOX_GONE` or `ENGINE_LOST` if the sandbox or the connection to it is lost.
 * @example
 * const connection = await connectInside(sandbox, 8080)
 */
export async function connectInside(
  sandbox: Pick<Sandbox, 'spawn' | 'which'>,
  port: number,
  { signal }: ConnectInsideOptions = {},
): Promise<Duplex> {
  signal?.throwIfAborted()
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw closed(port, 'there is no such TCP port.')
  const names = relayPrograms.map(({ name }) => name)
  const found = await sandbox.which(names, signal === undefined ? {} : { signal })
  const problems: string[] = []
  for (const relay of relayPrograms) {
    const program = found.get(relay.name)
    if (program === undefined) continue
    const command = relay.command(program, port)
    const connection = await RelayedConnection.start((...args) => sandbox.spawn(...args), {
      ...{ command, port, signal },
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
  const needs = `Passing the connection on needs one of ${names.join(', ')} in the sandbox`
  throw closed(port, `${needs}: ${problems.join(', ') || 'none was found'}.`, { program: names.join(', ') })
}

function closed(port: number, why: string, data: Readonly<Record<string, string>> = {}): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: ${why}`,
    data: { port: `${port}`, ...data },
  })
}
