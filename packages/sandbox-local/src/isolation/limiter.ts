import { FencedError, type Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { captureOutput } from '@fenced/host'
import { ControlGroups } from './control-groups.ts'
import { isSystemdInCharge, SystemdScopes } from './systemd-scopes.ts'

/** What a program may use together with everything that it starts. */
export interface Limits {
  readonly memoryBytes?: number
  /** Processes and threads, up to five of them ours: two shells, a `sleep`, and two of bubblewrap. */
  readonly pids?: number
}

/** The options: without a value it is the default where that can be had, and `false` is no limit. */
export type WantedLimits = { readonly [name in keyof Required<Limits>]: number | false | undefined }

/** Runs commands within {@link Limits}. */
export interface Limiter {
  /** What it holds: of the memory, whole pages. */
  readonly limits: Limits
  /**
   * The command that runs `command`. Where a process of that was killed because there was no memory left, and it ended as one
   * that got a signal does, this one ends by {@link outOfMemorySignal}, by which nothing in a sandbox can end it.
   */
  wrap(command: readonly string[]): readonly [string, ...string[]]
  /**
   * How many processes were killed until now because there was no memory left, in the command that is this process at
   * least; `undefined` when that is not known any more.
   */
  countKills(processId: number): number | undefined
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
  { memoryBytes, pids }: WantedLimits,
  { signal, notice }: StartContext,
): Promise<Limiter | undefined> {
  const asked = limitsOf({ memoryBytes, pids })
  const all = limitsOf({ memoryBytes: memoryBytes ?? defaults.memoryBytes, pids: pids ?? defaults.pids })
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
  if (Object.keys(asked).length > 0) throw unavailable(asked, problem)
  if (problem !== '') notice(notBounded(all, {}, problem))
  return undefined
}

function limitsOf({ memoryBytes, pids }: WantedLimits): Limits {
  return {
    ...(typeof memoryBytes === 'number' ? { memoryBytes } : {}),
    ...(typeof pids === 'number' ? { pids } : {}),
  }
}

/** Without a limiter the answer is why there can be none. */
async function tryLimits(limits: Limits, signal: AbortSignal): Promise<Limiter | string> {
  const limiter = isSystemdInCharge() ? await SystemdScopes.find(limits) : ControlGroups.make(limits)
  signal.throwIfAborted()
  if (typeof limiter === 'string') return limiter
  const command = limiter.wrap(['/bin/true'])
  const { failure, stderr } = await captureOutput(command, { env: process.env, timeoutMs: 10_000 })
  if (failure === undefined && !signal.aborted) return limiter
  await limiter.end()
  signal.throwIfAborted()
  const words = stderr.trim() || failure || 'it failed'
  return words.endsWith('.') ? words : `${words}.`
}

const names: Readonly<Record<keyof Limits, string>> = { memoryBytes: 'memory', pids: 'number of processes' }

function wordsFor(limits: readonly string[]): string {
  return limits.map((name) => names[name as keyof Limits]).join(' and the ')
}

const remedy =
  'It needs systemd with cgroup v2 (for another user than root: within a session of it), or the right to make control groups, as root has outside of containers.'

function notBounded(all: Limits, bounded: Limits, problem: string): Notice {
  const missing = Object.keys(all).filter((name) => !(name in bounded))
  return {
    code: 'limits-unavailable',
    message: `The ${wordsFor(missing)} of programs in the sandbox cannot be bounded on this machine: ${problem} ${remedy} Set ${missing.map((name) => `\`${name}: false\``).join(' and ')} to do without, or run the code in a container.`,
    data: { option: missing.join(', '), reason: problem },
  }
}

function unavailable(asked: Limits, problem: string): FencedError {
  const names = Object.keys(asked)
  const options = names.map((name) => `\`${name}\``)
  return new FencedError({
    code: 'LIMITS_UNAVAILABLE',
    message: `${options.join(' and ')} cannot be held on this machine: ${problem} ${remedy} Leave the option out, or run the code in a container (DockerCommandLineCodeExecutor). Nothing was run, and nothing is run without the limit instead.`,
    data: { option: names.join(', '), reason: problem },
  })
}
