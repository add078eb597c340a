import { existsSync, readFileSync } from 'node:fs'
import { captureOutput, findProgram } from '@fenced/host'
import { countKillsIn, heldLimits, memoryOfGroup } from './control-groups.ts'
import { limitedShell } from './limited-shell.ts'
import type { LimitedCommand, Limiter, Limits } from './limits.ts'

/** Whether systemd manages the control groups of this machine, and therefore must create new groups. */
export function isSystemdInCharge(): boolean {
  return existsSync('/run/systemd/system') && existsSync('/sys/fs/cgroup/cgroup.controllers')
}

/** Since this version it asks what is meant by a `$` in a command. */
const expandsSince = 254

/** A scope of systemd for each command: its own for root, and for others that of their session. */
export class SystemdScopes implements Limiter {
  readonly limits: Limits
  readonly #prefix: readonly [string, ...string[]]

  /** The answer is why there are none where systemd cannot be asked. */
  static async find(limits: Limits): Promise<SystemdScopes | string> {
    const program = findProgram('systemd-run')
    if (program === undefined) return 'the program systemd-run is not on the PATH.'
    const { stdout } = await captureOutput([program, '--version'], { env: process.env, timeoutMs: 10_000 })
    const version = Number(/^systemd (\d+)/.exec(stdout)?.[1] ?? 0)
    return new SystemdScopes(program, version, limits)
  }

  private constructor(program: string, version: number, limits: Limits) {
    const { memoryBytes, pids, cpus } = heldLimits(limits)
    this.limits = heldLimits(limits)
    const memory = memoryBytes === undefined ? '' : `${memoryBytes}`
    const processes = pids === undefined ? '' : `${pids}`
    const percent = cpus === undefined ? '' : `${Math.round(cpus * 100)}`
    const isRoot = process.getuid?.() === 0
    this.#prefix = [
      '/usr/bin/env',
      // By this it finds the systemd of the user.
      ...(isRoot ? [] : [`XDG_RUNTIME_DIR=${process.env.XDG_RUNTIME_DIR ?? ''}`]),
      program,
      ...['--quiet', '--scope', '--collect', ...(isRoot ? [] : ['--user'])],
      ...(version >= expandsSince ? ['--expand-environment=no'] : []),
      ...(memory === '' ? [] : [`--property=MemoryMax=${memory}`, '--property=MemorySwapMax=0']),
      ...(processes === '' ? [] : [`--property=TasksMax=${processes}`]),
      ...(percent === '' ? [] : [`--property=CPUQuota=${percent}%`]),
      '--',
      ...limitedShell(enter),
      memory,
      processes,
      percent,
    ]
  }

  wrap(command: readonly string[]): LimitedCommand {
    const { memoryBytes } = this.limits
    return {
      command: [...this.#prefix, ...command],
      countKills: countKillsOf,
      memoryUse: (processId) => {
        const group = groupOf(processId)
        if (memoryBytes === undefined || group === undefined) return undefined
        return memoryOfGroup(group, 2, memoryBytes)
      },
      end: () => {},
    }
  }

  async end(): Promise<void> {
    // A scope goes with its last process.
  }
}

function countKillsOf(processId: number): number | undefined {
  const group = groupOf(processId)
  return group === undefined ? undefined : countKillsIn(`${group}/memory.events`)
}

/** Directory of the scope of a process, which has none of the other commands. */
function groupOf(processId: number): string | undefined {
  const groups = `/proc/${processId}/cgroup`
  if (!existsSync(groups)) return undefined
  const [, group = ''] = /^0::(.*)$/m.exec(readFileSync(groups, 'utf8')) ?? []
  return `/sys/fs/cgroup${group}`
}

/** A systemd that has no right to a controller makes a scope without the limit. In the sandbox /run is empty. */
const enter = `unset XDG_RUNTIME_DIR
while IFS=: read -r id _ path; do [ "$id" != 0 ] || group=/sys/fs/cgroup$path; done < /proc/self/cgroup
holds() {
  [ -z "$2" ] || { read -r value < "$group/$1" && [ "$value" = "$2" ]; }
}
has_time() {
  [ -n "$1" ] || return 0
  read -r quota period < "$group/cpu.max" && [ "$quota" != max ] && [ "$((quota * 100))" = "$(($1 * period))" ]
}
if ! holds memory.max "$1" || ! holds pids.max "$2" || ! has_time "$3"; then
  echo 'systemd does not enforce the limits of a scope: it may lack the controllers.' >&2
  exit 125
fi
events=
[ -z "$1" ] || events=$group/memory.events
shift 3`
