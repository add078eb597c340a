import type { ExecTarget } from '../exec/exec-target.ts'
import { openExec } from '../exec/exec-target.ts'

/** How often a detached sandbox is used within the time after which it expires. */
const timesBeforeExpiry = 4

/** How long one use may take, in milliseconds. */
const useLimitMs = 10_000

/** Starts a process in a detached sandbox from time to time, so that it does not expire while its host is there. */
export function keepInUse(
  target: ExecTarget,
  { expiresInMs }: { readonly expiresInMs: number },
): NodeJS.Timeout {
  return setInterval(() => void use(target), expiresInMs / timesBeforeExpiry).unref()
}

async function use(target: ExecTarget): Promise<void> {
  const signal = AbortSignal.timeout(useLimitMs)
  try {
    const { process } = await openExec({ ...target, directory: '/' }, ['/bin/sh', '-c', ':'], { signal })
    process.unref?.()
    signal.addEventListener('abort', () => process.destroy(), { once: true })
    await process.read(() => {})
    process.destroy()
  } catch {
    // If the sandbox is gone, the next process reports it.
  }
}
