import { FencedError } from '../fenced-error.ts'
import type { Language } from '../language/language.ts'
import type { DriveContext } from './drive.ts'
import { unlessAbandoned } from './unless-abandoned.ts'

/** How long a preparation may go on after its signal, in milliseconds: `stop()` waits for it. */
const graceMs = 2_000

/**
 * Lets the driver prepare for a language, until the block is to be stopped: `stop.cause` says so then.
 *
 * @throws FencedError `PREPARE_TIMEOUT`; what the driver rejects with.
 */
export async function prepareDriver(language: Language, context: DriveContext): Promise<void> {
  const { place, report, stop } = context
  const { name, driver, prepareTimeoutMs } = place
  if (driver.prepare === undefined) return
  const controller = new AbortController()
  const { signal } = controller
  const onStop = () => controller.abort(stop.signal.reason)
  const tooSlow = prepareTimeout(name, prepareTimeoutMs)
  const timer = setTimeout(() => controller.abort(tooSlow), prepareTimeoutMs)
  stop.signal.addEventListener('abort', onStop, { once: true })
  try {
    const preparing = driver.prepare(language, { signal, notice: (notice) => report.progress(notice) })
    const prepared = await unlessAbandoned(preparing, { signal, graceMs })
    if (prepared === 'abandoned') place.markBroken()
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    stop.signal.removeEventListener('abort', onStop)
  }
  if (signal.reason === tooSlow) throw tooSlow
}

function prepareTimeout(name: string, timeoutMs: number): FencedError {
  return new FencedError({
    code: 'PREPARE_TIMEOUT',
    message: `The executor "${name}" was not ready for the block within ${timeoutMs} ms. Nothing of the block was run. Look at what hangs there, or call restart().`,
  })
}
