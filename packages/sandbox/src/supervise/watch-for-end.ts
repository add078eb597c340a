import { setTimeout as delay } from 'node:timers/promises'
import type { BackendProcess } from '@fenced/core/sandbox'

/** How long a connection may be quiet before the backend is asked whether the process has ended, in milliseconds. */
const quietLimitMs = 5_000

/** How long the rest of the output of one that has ended may take to come, in milliseconds. */
const restMs = 2_000

/**
 * Closes the connection of a process that has ended, because some engines do not.
 *
 * @param quietMs - how long nothing has come from it although we were listening, in milliseconds.
 */
export function watchForEnd(process: BackendProcess, quietMs: () => number): Disposable {
  const timer = setInterval(async () => {
    if (quietMs() < quietLimitMs) return
    if ((await process.poll()) === undefined) return
    // It may have ended just now, with its last words on the way.
    await delay(restMs, undefined, { ref: false })
    if (quietMs() >= quietLimitMs) process.destroy()
  }, quietLimitMs)
  // The connection keeps this Node process going, if anything does.
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
