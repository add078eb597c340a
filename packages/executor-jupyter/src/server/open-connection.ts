import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { raceAbort } from '@fenced/host'
import type { buildConnector } from 'undici'
import type { OpenConnection } from './connection-info.ts'
import type { ServerAddress } from './server-address.ts'

/** How long a connection may take to come about, in milliseconds. */
const connectTimeoutMs = 20_000

/** A connection that may be able to keep this process going, and to let it end. */
export type KeepingConnection = Duplex & Partial<Pick<Socket, 'ref' | 'unref'>>

/** How undici connects to a server; `signal` ends what is on its way. */
export function connectorTo(
  { open, ca }: Pick<ServerAddress, 'open' | 'ca'>,
  signal: AbortSignal,
): buildConnector.BuildOptions | buildConnector.connector {
  if (open === undefined) return ca === undefined ? {} : { ca }
  return (_, callback) => {
    const limit = AbortSignal.timeout(connectTimeoutMs)
    openUntilAborted(open, AbortSignal.any([signal, limit])).then(
      // Of a socket undici uses what every Duplex has, and `ref` and `unref` where they are there.
      (connection) => callback(null, connection as Socket),
      (error: Error) => callback(error, null),
    )
  }
}

/** A connection; the signal is no longer its end once it is open. One that comes too late is closed. */
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
