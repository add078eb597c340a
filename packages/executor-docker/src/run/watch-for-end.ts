import type { Duplex } from 'node:stream'
import { askForEnd } from '@fenced/docker-engine'
import type Docker from 'dockerode'

/** How long a connection may be quiet before the engine is asked whether the exec has ended, in milliseconds. */
const quietLimitMs = 5_000

/** An exec, and how long nothing has come from it although we were listening, in milliseconds. */
export interface WatchedExec {
  readonly exec: Docker.Exec
  readonly connection: Duplex
  readonly quietMs: () => number
}

/** Closes the connection of an exec that has ended, because some engines do not. */
export function watchForEnd({ exec, connection, quietMs }: WatchedExec): Disposable {
  const timer = setInterval(async () => {
    if (quietMs() < quietLimitMs) return
    const end = await askForEnd(exec)
    if (end !== undefined && quietMs() >= quietLimitMs) connection.destroy()
  }, quietLimitMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
