import { scriptNames } from './process-scripts.ts'

/**
 * The main process of a container. It checks the limits of the container, so that the container ends even when
 * no process outside is left to end it. It needs `sh` and `sleep`, and has another user than the code, which therefore
 * cannot stop it.
 *
 * A new process gets the next number (Linux counts them up), so two sleeps with neighbouring numbers mean that
 * nothing was started in between. What runs is the child of one of our scripts (its first line names it), unless it is a fork
 * server, or the child of a resident Python that leads a session. The keeper of a Python session has another name between its cells.
 *
 * Arguments: how long it may live, how long it may be idle (0 for no limit), and how often to look, in seconds; whether the end of
 * its input ends it; this script; and when it began, where it begins again.
 */
const script = `
lifetime=$1 idle_limit=$2 pause=$3 input=$4 script=$5 born=$6

seconds() {
  read -r uptime rest < /proc/uptime
  now=\${uptime%.*}
}

says() {
  line=
  read -r line < "/proc/$1/cmdline"
  case $line in *"$2"*) return 0 ;; esac
  return 1
}

is_script() { says "$1" '${scriptNames.controlled}' || says "$1" '${scriptNames.open}'; }

is_runner() { says "$1" fenced_runner; }

rests() {
  name=
  read -r name < "/proc/$1/comm"
  [ "$name" = fenced-rests ]
}

block_runs() {
  for directory in /proc/[0-9]*; do
    process=\${directory#/proc/}
    read -r stat < "$directory/stat" || continue
    set -- \${stat##*) }
    is_script "$2" && ! is_script "$process" && ! is_runner "$process" && return 0
    [ "$4" = "$process" ] && is_runner "$2" && ! rests "$2" && return 0
  done
  return 1
}

end() {
  trap - EXIT
  exit 0
}

trap end TERM
# The host holds the other end of the input. A process in the background has no input, unless from another descriptor.
if [ "$input" = ends ] && [ -z "$born" ]; then
  exec 3<&0
  { while read -r line; do :; done <&3; while kill $$; do sleep 1; done; } &
fi
# A shell that cannot start a process ends, and so does the container.
trap 'exec /bin/sh -c "$script" "$0" "$lifetime" "$idle_limit" "$pause" "$input" "$script" "$born"' EXIT
seconds
born=\${born:-$now}
active=$now
last=$$
while :; do
  sleep "$pause" &
  sleeper=$!
  wait $sleeper
  status=$?
  # Its files are gone, as after the engine was killed, and the loop would run without a pause. Higher codes are signals.
  [ $status -gt 0 ] && [ $status -lt 129 ] && end
  seconds
  { [ $sleeper -eq $((last + 1)) ] && ! block_runs; } || active=$now
  last=$sleeper
  [ $idle_limit -gt 0 ] && [ $((now - active)) -ge $idle_limit ] && end
  [ $lifetime -gt 0 ] && [ $((now - born)) -ge $lifetime ] && end
done 2>/dev/null
`

/** The limits of a container's life, in milliseconds; 0 for none. */
export interface LifeLimits {
  readonly maxLifetimeMs: number
  readonly idleTimeoutMs: number
  /**
   * Whether a container also counts as idle in which something runs, as long as nothing is started.
   *
   * @default false
   */
  readonly endsAlthoughBusy?: boolean | undefined
  /**
   * Whether the container ends when its standard input does.
   *
   * @default false
   */
  readonly endsWithInput?: boolean | undefined
}

/** The command that keeps a container, within its limits. They are looked at ten times within the shorter one. */
export function keepAliveCommand({
  maxLifetimeMs,
  idleTimeoutMs,
  endsAlthoughBusy = false,
  endsWithInput = false,
}: LifeLimits): string[] {
  const keeping = endsAlthoughBusy ? script.replace(' && ! block_runs', '') : script
  const shorter = Math.min(maxLifetimeMs || Infinity, idleTimeoutMs || Infinity)
  const pause = Math.min(Math.max(Math.floor(shorter / 10_000), 1), 60)
  const inSeconds = [maxLifetimeMs, idleTimeoutMs].map((limit) => `${Math.ceil(limit / 1000)}`)
  const input = endsWithInput ? 'ends' : 'none'
  return ['/bin/sh', '-c', keeping, 'fenced-keep-alive', ...inSeconds, `${pause}`, input, keeping]
}
