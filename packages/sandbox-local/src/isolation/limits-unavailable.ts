import { FencedError, type Notice } from '@fenced/core'
import type { Limits } from './limiter.ts'

const names: Readonly<Record<keyof Limits, string>> = {
  memoryBytes: 'memory',
  pids: 'number of processes',
  cpus: 'processor time',
}

function wordsFor(limits: readonly string[]): string {
  return limits.map((name) => names[name as keyof Limits]).join(' and the ')
}

const remedy =
  'It needs systemd with cgroup v2 (for another user than root: within a session of it), or the right to make control groups, as root has outside of containers.'

/** What a start says where a default cannot be held. */
export function notBounded(all: Limits, bounded: Limits, problem: string): Notice {
  const missing = Object.keys(all).filter((name) => !(name in bounded))
  return {
    code: 'limits-unavailable',
    message: `The ${wordsFor(missing)} of programs in the sandbox cannot be bounded on this machine: ${problem} ${remedy} Set ${missing.map((name) => `\`${name}: false\``).join(' and ')} to do without, or run the code in a container.`,
    data: { option: missing.join(', '), reason: problem },
  }
}

export function limitsUnavailable(asked: Limits, problem: string): FencedError {
  const names = Object.keys(asked)
  const options = names.map((name) => `\`${name}\``)
  return new FencedError({
    code: 'LIMITS_UNAVAILABLE',
    message: `${options.join(' and ')} cannot be held on this machine: ${problem} ${remedy} Leave the option out, or run the code in a container (DockerCommandLineCodeExecutor). Nothing was run, and nothing is run without the limit instead.`,
    data: { option: names.join(', '), reason: problem },
  })
}
