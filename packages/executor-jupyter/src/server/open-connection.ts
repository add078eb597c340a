import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { raceAbort } from '@fenced/shared'
import type { buildConnector } from 'undici'
import type { OpenConnection } from './connection-info.ts'
import type { ServerAddress } from './server-address.ts'

/** Time limit for opening a connection, in milliseconds. */
const connectTimeoutMs = 20_000

/** A connection, with `ref` and `unref` where its kind has them. */
export type KeepingConnection = Duplex & Partial<Pick<Socket, 'ref' | 'unref'>>

/** The connector of undici for a server. `signal` ends connections that are being opened. */
export function connectorTo(
  { open, ca }: Pick<ServerAddress, 'open' | 'ca'>,
  signal: AbortSignal,
): buildConnector.BuildOptions | buildConnector.connector {
  if (open === undefined) return ca === undefined ? {} : { ca }
  return (_, callback) => {
    const limit = AbortSignal.timeout(connectTimeoutMs)
    openUntilAborted(open, AbortSignal.any([signal, limit])).then(
      // undici uses only members of Duplex, and `ref` and `unref` where they exist.
      (connection) => callback(null, connection as Socket),
      (error: Error) => callback(error, null),
    )
  }
}

/** Opens a connection. The signal has no effect once the connection is open. A connection that opens after an abort is closed. */
export async function openUntilAborted(
  open: OpenConnection,
  signal: AbortSignal,
): Promise<KeepingConnection> {
  const attempt = new AbortController()
  const opening = open({ signal: attempt.signal })
  const connection = await raceAbort(opening, signal)
  if (connection !== 'aborted') return connection
  attempt.abort(signal.reason)
  void opening.then(
    (late) => late.destroy(),
    () => {},
  )
  throw signal.reason
}
