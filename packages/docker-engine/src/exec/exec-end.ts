import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'

/** How long the engine may take to notice the end of a block whose output has ended, in milliseconds. */
const noticeTimeMs = 10_000

/**
 * The exit code of an exec whose connection has ended, as the engine tells it; `undefined` when it tells none.
 *
 * @param isWhole - whether its output came to its end. If not, the connection was cut and there is nothing to wait for.
 */
export async function endOf(exec: Docker.Exec, isWhole: boolean): Promise<number | undefined> {
  const startedAt = performance.now()
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const exitCode = await askForEnd(exec)
    if (exitCode !== undefined || !isWhole || performance.now() - startedAt > noticeTimeMs) return exitCode
    await delay(pauseMs)
  }
}

/** The exit code of an exec that has ended; `undefined` while it runs, and when the engine does not answer. */
export async function askForEnd(exec: Docker.Exec): Promise<number | undefined> {
  try {
    const { Running, ExitCode } = await exec.inspect({ abortSignal: AbortSignal.timeout(noticeTimeMs) })
    return Running || ExitCode === null ? undefined : ExitCode
  } catch {
    return undefined
  }
}
