import { afterTime, onAbort } from '@fenced/shared'
import type { StartContext } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import { withStopGrace } from '../time/stop-grace.ts'
import { startTimeout } from './executor-errors.ts'

/**
 * Starts a driver, up to a time limit. A start that does not hear its signal is given up after the grace period.
 *
 * @throws FencedError `START_TIMEOUT`; what the driver rejects with.
 */
export async function startDriver(
  { driver, name, stopGraceMs: graceMs }: EngineContext,
  limitMs: number,
  context: StartContext,
): Promise<void> {
  if (driver.start === undefined) return
  const controller = new AbortController()
  const { signal } = controller
  const tooSlow = startTimeout(name, limitMs)
  using _timer = afterTime(limitMs, () => controller.abort(tooSlow))
  using _ = onAbort(context.signal, () => controller.abort(context.signal.reason))
  try {
    await withStopGrace(driver.start({ ...context, signal }), { signal, graceMs })
  } catch (error) {
    if (signal.reason !== tooSlow) throw error
  }
  if (signal.reason === tooSlow) throw tooSlow
}
