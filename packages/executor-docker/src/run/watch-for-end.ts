import type { BackendProcess } from '../backend.ts'

/** How long a connection may be quiet before the backend is asked whether the process has ended, in milliseconds. */
const quietLimitMs = 5_000

/**
 * Closes the connection of a process that has ended, because some engines do not.
 *
 * @param quietMs - how long nothing has come from it although we were listening, in milliseconds.
 */
export function watchForEnd(process: BackendProcess, quietMs: () => number): Disposable {
  const timer = setInterval(async () => {
    if (quietMs() < quietLimitMs) return
    const end = await process.poll()
    if (end !== undefined && quietMs() >= quietLimitMs) process.destroy()
  }, quietLimitMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
