import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { reasonIn } from '@fenced/errors'
import { captureOutput } from '@fenced/host'
import { ControlGroups } from './control-groups.ts'
import type { Limiter, Limits, WantedLimits } from './limits.ts'
import { limitsUnavailable, notBounded } from './limits.ts'
import { isSystemdInCharge, SystemdScopes } from './systemd-scopes.ts'
import { TestedBefore } from './tested-before.ts'

const defaults = { memoryBytes: 2_147_483_648, pids: 256 }

/**
 * Limits programs with the kernel's control groups (cgroups). Per-process limits (`ulimit`) are not a substitute. `ulimit -v`
 * limits the address space of each process, of which Node and NumPy reserve far more than they use. `ulimit -u` counts all
 * processes of the user and does not apply to root.
 *
 * @returns `undefined` when there is nothing to limit, and, with a notice, when the machine cannot apply default limits.
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
  return `${reasonIn(problem ?? '')}.`
}

/** Why no command can be run within the limits. */
async function problemOf(limiter: Limiter): Promise<string | undefined> {
  try {
    const tested = new TestedBefore({ limiter: limiter.constructor.name, limits: limiter.limits })
    const limited = limiter.wrap(['/bin/true'])
    try {
      if (tested.hasPassed) return undefined
      const options = { env: process.env, timeoutMs: 10_000 }
      const { failure, stderr } = await captureOutput(limited.command, options)
      if (failure !== undefined) return stderr.trim() || failure
      tested.remember()
      return undefined
    } finally {
      limited.end()
    }
  } catch (error) {
    if (FencedError.isInstance(error)) return error.data?.reason
    throw error
  }
}
