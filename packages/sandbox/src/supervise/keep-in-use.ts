import type { ExecPlace } from './backend.ts'
import { openExec } from './open-exec.ts'

/** How often a detached place is used within the time after which it expires. */
const timesBeforeExpiry = 4

/** How long one use may take, in milliseconds. */
const useLimitMs = 10_000

/** Starts a process in a detached place from time to time, so that it does not expire while its host is there. */
export function keepInUse(
  place: ExecPlace,
  { expiresInMs }: { readonly expiresInMs: number },
): NodeJS.Timeout {
  return setInterval(() => void use(place), expiresInMs / timesBeforeExpiry).unref()
}

async function use(place: ExecPlace): Promise<void> {
  const signal = AbortSignal.timeout(useLimitMs)
  try {
    const { process } = await openExec({ ...place, directory: '/' }, ['/bin/sh', '-c', ':'], { signal })
    process.unref()
    signal.addEventListener('abort', () => process.destroy(), { once: true })
    await process.read(() => {})
    process.destroy()
  } catch {
    // A place that is not there any more shows with the next process.
  }
}
