import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { captureOutput } from '@fenced/host'
import { ControlGroups } from './control-groups.ts'
import { limitsUnavailable, notBounded } from './limits-unavailable.ts'
import { isSystemdInCharge, SystemdScopes } from './systemd-scopes.ts'

/** What a process may use together with everything that it starts. */
export interface Limits {
  readonly memoryBytes?: number
  /** Processes and threads, up to five of them ours: two shells, a `sleep`, and two of bubblewrap. */
  readonly pids?: number
  /** Processors, in hundredths. */
  readonly cpus?: number
}

/** The options: without a value it is the default where that can be had, and `false` is no limit. */
export type WantedLimits = { readonly [name in keyof Required<Limits>]: number | false | undefined }

/** A command within limits of its own. */
export interface LimitedCommand {
  /**
   * Runs the command. Where a process of it was killed because there was no memory left, and the command ended as one that got a
   * signal does, this one ends by {@link outOfMemorySignal}, by which nothing in a sandbox can end it.
   */
  readonly command: readonly [string, ...string[]]
  /**
   * How many processes of the command were killed until now because there was no memory left; `undefined` when that is not known any
   * more.
   *
   * @param processId - of the process that was started with `command`.
   */
  countKills(processId: number): number | undefined
  /**
   * How many processes of the command were killed because there was no memory left. Called when it has ended, before `end`. Absent where
   * nothing knows it by then.
   */
  killsAtEnd?(): number | undefined
  /** Called when it has ended, or was not started. */
  end(): void
}

/** Runs commands within {@link Limits}, which each of them has for itself. */
export interface Limiter {
  /** What it holds: of the memory, whole pages. */
  readonly limits: Limits
  /** @throws FencedError `LIMITS_UNAVAILABLE`. */
  wrap(command: readonly string[]): LimitedCommand
  /** Called when no command of it runs any more. */
  end(): Promise<void>
}

const defaults = { memoryBytes: 2_147_483_648, pids: 256 }

/**
 * Bounds what programs use by the kernel's control groups (cgroups). The limits of a process (`ulimit`) are no substitute:
 * the one for memory counts addresses, of which Node and NumPy reserve far more than they use, and is for each process
 * alone; the one for processes counts those of the user elsewhere, too, and does not hold for root.
 *
 * @returns `undefined` when nothing is to be bounded, and with a notice where nothing can be, and nobody asked for it.
 * @throws FencedError `LIMITS_UNAVAILABLE`; the reason of the signal.
 */
export async function findLimiter(
  { memoryBytes, pids, cpus }: WantedLimits,
  { signal, notice }: StartContext,
): Promise<Limiter | undefined> {
  const asked = limitsOf({ memoryBytes, pids, cpus })
  const all = limitsOf({
    memoryBytes: memoryBytes ?? defaults.memoryBytes,
    pids: pids ?? defaults.pids,
    cpus,
  })
  const attempts = [all, asked].filter((limits) => Object.keys(limits).length > 0)
  let problem = ''
  for (const limits of attempts) {
    const limiter = await tryLimits(limits, signal)
    if (typeof limiter === 'string') {
      problem ||= limiter
      continue
    }
    if (problem !== '') notice(notBounded(all, limits, problem))
    return limiter
  }
  if (Object.keys(asked).length > 0) throw limitsUnavailable(asked, problem)
  if (problem !== '') notice(notBounded(all, {}, problem))
  return undefined
}

function limitsOf({ memoryBytes, pids, cpus }: WantedLimits): Limits {
  return {
    ...(typeof memoryBytes === 'number' ? { memoryBytes } : {}),
    ...(typeof pids === 'number' ? { pids } : {}),
    ...(typeof cpus === 'number' ? { cpus } : {}),
  }
}

/** Without a limiter the answer is why there can be none. */
async function tryLimits(limits: Limits, signal: AbortSignal): Promise<Limiter | string> {
  const limiter = isSystemdInCharge() ? await SystemdScopes.find(limits) : ControlGroups.find(limits)
  signal.throwIfAborted()
  if (typeof limiter === 'string') return limiter
  const problem = await problemOf(limiter)
  if (problem === undefined && !signal.aborted) return limiter
  await limiter.end()
  signal.throwIfAborted()
  return `${problem?.replace(/\.$/, '')}.`
}

/** Why no command can be run within the limits. */
async function problemOf(limiter: Limiter): Promise<string | undefined> {
  try {
    const limited = limiter.wrap(['/bin/true'])
    try {
      const options = { env: process.env, timeoutMs: 10_000 }
      const { failure, stderr } = await captureOutput(limited.command, options)
      return failure === undefined ? undefined : stderr.trim() || failure
    } finally {
      limited.end()
    }
  } catch (error) {
    if (FencedError.isInstance(error)) return error.data?.reason
    throw error
  }
}
