import { FencedError, type Notice } from '@fenced/core'
import type { MemoryUse } from '@fenced/core/sandbox'

/** What a process may use together with everything that it starts. */
export interface Limits {
  readonly memoryBytes?: number
  /** Processes and threads, up to five of them ours: two shells, a `sleep`, and two of bubblewrap. */
  readonly pids?: number
  /** Processors, in hundredths. */
  readonly cpus?: number
}

/** The limits that were asked for. Without a value, the default where the machine supports it; `false` for no limit. */
export type WantedLimits = { readonly [name in keyof Limits]?: number | false | undefined }

/** A command with separate limits. */
export interface LimitedCommand {
  /**
   * Runs the command. If a process of the command was killed for lack of memory, and the command ended by a signal or with the exit code of a
   * signal, this command ends by {@link outOfMemorySignal}. No process in a sandbox can send that signal to it.
   */
  readonly command: readonly [string, ...string[]]
  /**
   * How many processes of the command were killed until now because there was no memory left; `undefined` when that is not known any
   * more.
   *
   * @param processId - of the process that was started with `command`.
   */
  countKills(processId: number): number | undefined
  /** What its memory limit counts now; `undefined` when there is none, or when that is not known any more. */
  memoryUse(processId: number): MemoryUse | undefined
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
  /** Called after its last command has ended. */
  end(): Promise<void>
}

const names: Readonly<Record<keyof Limits, string>> = {
  memoryBytes: 'memory',
  pids: 'number of processes',
  cpus: 'processor time',
}

function limitsText(limits: readonly string[]): string {
  return limits.map((name) => names[name as keyof Limits]).join(' and the ')
}

const remedy =
  'Limits require systemd with cgroup v2 (for users other than root, within a systemd session), or permission to create control groups, which root has outside containers.'

/** The notice for default limits that cannot be enforced. */
export function notBounded(all: Limits, bounded: Limits, problem: string): Notice {
  const missing = Object.keys(all).filter((name) => !(name in bounded))
  return {
    code: 'limits-unavailable',
    message: `The ${limitsText(missing)} of programs in the sandbox cannot be limited on this machine: ${problem} ${remedy} Set ${missing.map((name) => `\`${name}: false\``).join(' and ')} to run without limits, or run the code in a container.`,
    data: { option: missing.join(', '), reason: problem },
  }
}

export function limitsUnavailable(asked: Limits, problem: string): FencedError {
  const names = Object.keys(asked)
  const options = names.map((name) => `\`${name}\``)
  return new FencedError({
    code: 'LIMITS_UNAVAILABLE',
    message: `${options.join(' and ')} cannot be enforced on this machine: ${problem} ${remedy} Omit the option, or run the code in a container (DockerCommandLineCodeExecutor). No code was run.`,
    data: { option: names.join(', '), reason: problem },
  })
}
