import type { SandboxUsage } from '@fenced/core'
import type { ExecTarget } from '../exec/exec-target.ts'
import { runCommand } from '../exec/run-command.ts'

/**
 * Prints names and numbers, from the files of the sandbox's control group (cgroup), version 2 or 1. The root of a hierarchy, which is the
 * machine's, is told by a file. Arguments: whether the sandbox has a control group (`yes` or `no`), and the working directory.
 */
const script = `: fenced-usage
exec 2>/dev/null
value() { read -r number < "$2" && echo "$1 $number"; }
field() { while read -r name number; do [ "$name" != "$2" ] || echo "$1 $number"; done < "$3"; }
members() {
  count=0
  while read -r id; do count=$((count + 1)); done < "$1" || return
  # Without this shell.
  echo "processes $((count - 1))"
}
own() { [ -d "$1" ] && [ ! -e "$1/release_agent" ]; }
groups=/sys/fs/cgroup
if [ "$1" != yes ]; then :
elif [ -e $groups/cgroup.events ]; then
  field microseconds usage_usec $groups/cpu.stat
  value memory $groups/memory.current
  field cache inactive_file $groups/memory.stat
  value peak $groups/memory.peak
  members $groups/cgroup.procs
else
  own $groups/cpuacct && value nanoseconds $groups/cpuacct/cpuacct.usage
  if own $groups/memory; then
    value memory $groups/memory/memory.usage_in_bytes
    field cache total_inactive_file $groups/memory/memory.stat
    value peak $groups/memory/memory.max_usage_in_bytes
  fi
  own $groups/pids && members $groups/pids/cgroup.procs
fi
size=$(du -sk "$2") && echo "kibibytes \${size%%[!0-9]*}"
:`

/** Measures a sandbox by a command in it. */
export async function sandboxUsage(
  target: ExecTarget,
  { hasControlGroup, signal }: { readonly hasControlGroup: boolean; readonly signal: AbortSignal },
): Promise<SandboxUsage> {
  const words = [hasControlGroup ? 'yes' : 'no', target.directory]
  const command = ['/bin/sh', '-c', script, 'fenced', ...words] as const
  const { output } = await runCommand(target, { command, signal })
  return usageIn(output)
}

/** A line that is not a name and a number says nothing. */
export function usageIn(output: string): SandboxUsage {
  const numbers = new Map(
    [...output.matchAll(/^(\w+) (\d+)$/gm)].map(([, name = '', number]) => [name, Number(number)]),
  )
  const scaled = (name: string, factor: number) => {
    const number = numbers.get(name)
    return number === undefined ? undefined : number * factor
  }
  const [memory, cache = 0] = [numbers.get('memory'), numbers.get('cache')]
  const known = {
    cpuMs: scaled('microseconds', 1e-3) ?? scaled('nanoseconds', 1e-6),
    memoryBytes: memory === undefined ? undefined : Math.max(0, memory - cache),
    peakMemoryBytes: numbers.get('peak'),
    processes: numbers.get('processes'),
    diskBytes: scaled('kibibytes', 1_024),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}
