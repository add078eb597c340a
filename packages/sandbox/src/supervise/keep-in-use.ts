import type { ExecTarget } from '../exec/exec-target.ts'
import { runUnheard } from '../exec/exec-target.ts'

/** How often a detached sandbox is used within the time after which it expires. */
const timesBeforeExpiry = 4

/** How long one use may take, in milliseconds. */
const useLimitMs = 10_000

/** Starts a process in a detached sandbox from time to time, so that it does not expire while its host is there. */
export function keepInUse(
  target: ExecTarget,
  { expiresInMs }: { readonly expiresInMs: number },
): NodeJS.Timeout {
  const use = () => runUnheard(target, ['/bin/sh', '-c', ':'], { limitMs: useLimitMs, ref: false })
  return setInterval(use, expiresInMs / timesBeforeExpiry).unref()
}
