import { waitingForReaders } from '@fenced/shared'

/*
 * What runs a program in a sandbox, with nothing but what every POSIX shell has built in: slim images have no `ps`, `pkill` or
 * `timeout`, and after a program has used up its processes, no process can be started.
 */

/** How each of our scripts begins that has a program for its child, as the keeper of a sandbox knows them. */
export const scriptNames = { controlled: ': fenced-controlled', open: ': fenced-open' } as const

/**
 * Which processes are a program's, and how they get a signal. `$mark` is the run's id, `$leader` the script that runs it.
 *
 * A program's processes are all processes of the script's session, all with the run's id in their environment and, where
 * `$limit_identifies` is `yes`, all whose hard limit for core files is 0. That finds a daemon which left the session and
 * cleared its environment: children inherit the limit, and raising it needs CAP_SYS_RESOURCE (getrlimit(2)).
 * A process that began before `$born` has another environment: it is not read, because a shell reads byte by byte.
 * Where `$first_session` names the session of process 1, `$fled` tells of a process that may be the program's, too: an orphan in another
 * session that has no run's id.
 */
const findingProcesses = `
has_core_limit_0() {
  while read -r what core file size soft hard unit; do
    [ "$what $core" = 'Max core' ] || continue
    [ "$hard" = 0 ]
    return
  done < "/proc/$1/limits"
  return 1
}

know_birth() {
  read -r stat < "/proc/$1/stat" || return
  set -- \${stat##*) }
  born=\${20}
}

is_ours() {
  read -r stat < "/proc/$1/stat" || return 1
  id=$1
  set -- \${stat##*) }
  [ "$1" = Z ] && vanished=yes && return 1
  [ "$4" = "$leader" ] && return 0
  began=\${20}
  [ "$limit_identifies" = yes ] && has_core_limit_0 "$id" && return 0
  [ "$began" -lt "$born" ] && return 1
  marked=
  while read -r line || [ -n "$line" ]; do
    case $line in
    *"FENCED_RUN_ID=$mark"*) return 0 ;;
    *FENCED_RUN_ID=*) marked=yes ;;
    esac
  done < "/proc/$id/environ"
  [ -n "$first_session" ] && [ "$2$marked" = 1 ] && [ "$4" != "$first_session" ] && fled=yes
  return 1
}

know_first_session() {
  read -r stat < /proc/1/stat || return
  set -- \${stat##*) }
  first_session=$4
}

asks_to_end() {
  case $1 in CONT | STOP | TSTP | TTIN | TTOU | WINCH | URG | CHLD) return 1 ;; esac
}

signal_all() {
  # What is stopped ends only when it continues.
  continues=
  case $1 in HUP | INT | QUIT | TERM | KILL) continues=yes ;; esac
  found=
  fled=
  vanished=
  for directory in /proc/[0-9]*; do
    process=\${directory#/proc/}
    [ "$process" = "$leader" ] || [ "$process" = "$self" ] && continue
    is_ours "$process" || { [ -e "$directory" ] || vanished=yes; continue; }
    kill -s "$1" "$process" && [ -n "$continues" ] && kill -s CONT "$process"
    found=yes
  done
}

kill_all() {
  round=0
  while [ $round -lt 50 ]; do
    signal_all KILL
    [ -z "$found" ] && return
    round=$((round + 1))
  done
}

# Processes that fork without end escape signals that are sent one by one, and a process that keeps replacing itself by a child is
# never found. So where something was found, or ended while it was looked at, all of this user are stopped at once, which
# misses none (kill(2) with -1).
kill_all_frozen() {
  signal_all KILL
  [ -z "$found$vanished" ] && return
  kill -s STOP -- -1
  kill_all
  kill -s CONT -- -1
}
`

/**
 * Whether a directory such as `/proc` shows the process namespace of the machine: process 2 is a thread of the kernel, which no container
 * sees. In that namespace a signal to -1 would stop all processes of the user, also those that Fenced did not start. Where processes of
 * other users are hidden (`hidepid`), or `/proc` is missing, it counts as the machine.
 */
export const findingMachine = `
is_machine() {
  read -r stat < "$1/1/stat" || return 0
  [ -e "$1/2" ] || return 1
  read -r stat < "$1/2/stat" || return 0
  set -- \${stat##*) }
  [ $(($7 & 2097152)) -ne 0 ]
}
`

const remainingProcesses = `
list_remaining() {
  remaining=
  for directory in /proc/[0-9]*; do
    each=\${directory#/proc/}
    [ "$each" = $$ ] || [ "$each" = "$watcher" ] && continue
    read -r stat < "$directory/stat" || continue
    set -- \${stat##*) }
    [ "$4" = "$leader" ] && [ "$1" != Z ] && remaining="$remaining $each"
  done
}
`

const ending = `
end() {
trap - EXIT
flags=$stopped
# It must not cut what is written from here on.
trap '' USR1
self=$watcher
if [ "$limit_identifies" = yes ]; then kill_all_frozen; else kill_all; fi
[ -z "$found$fled" ] || flags=$((flags + 4))
count_oom_kills
[ "$oom_kills" = "$oom_kills_before" ] || flags=$((flags + 1))
end_with $flags
exit $code
}
`

/** Runs "$@" between these two, writes what became of it behind both of its streams, and exits as it did. */
const running = `
count_oom_kills() {
  oom_kills=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$file" ] || continue
    while read -r name value; do [ "$name" = oom_kill ] && oom_kills=$value; done < "$file"
  done
}

# See EndMark.
end_with() {
  until printf '\\036%s%s%s\\036' "$mark" "$1" "$code"; do sleep 1 || break; done
  until printf '\\036%s%s%s\\036' "$mark" "$1" "$code" >&4; do sleep 1 || break; done
  [ -z "$watcher" ] || kill -s KILL $watcher
  # The host ends stdin when it has read both marks.
  [ "$loses_unread" != yes ] || while read -r line <&3; do :; done
}

not_started() {
  case $1 in
  */*)
    [ -e "$1" ] || return 8
    [ -x "$1" ] && [ ! -d "$1" ] || return 9
    ;;
  *) command -v "$1" >/dev/null || return 8 ;;
  esac
}

${ending}
# A signal that was sent says so with it. A shell acts on it when the program has ended.
stopped=0
trap 'stopped=2' USR1
`

const theEnd = `
code=$?
# To wait takes a process, and a shell that can start none ends at once.
trap end EXIT
[ "$role" != block ] || wait_for_readers
end
`

/**
 * Runs a program whose stdin is empty. The host speaks to it through its own stdin: how many more words the command has and
 * these words, each in a line; after that a line names a signal for the program, and the end of stdin, which a lost
 * connection brings about, is SIGKILL.
 *
 * Arguments: whether the limit for core files identifies a block's processes (`yes` or `no`: it says nothing where the sandbox
 * gives it to all processes, or where other callers also run blocks), whether the end of a process discards unread output
 * (`yes` or `no`), the {@link ProcessRole}, and the command's first words. In the process namespace of the machine the limit
 * identifies nothing.
 */
export const controlledScript = `${scriptNames.controlled}
exec 3<&0 4>&2 </dev/null 2>/dev/null
mark=$FENCED_RUN_ID
leader=$$
watcher=
limit_identifies=$1
loses_unread=$2
role=$3
shift 3
${findingProcesses}
know_birth $$
# With a block ends what an earlier one may have left.
[ "$role" = block ] || limit_identifies=
has_core_limit_0 $$ && limit_identifies=
${findingMachine}
[ "$limit_identifies" != yes ] || ! is_machine /proc || limit_identifies=
first_session=
[ "$role$limit_identifies" = blockyes ] || [ "$role" != block ] || is_machine /proc || know_first_session
${remainingProcesses}
${waitingForReaders}
${running}
IFS= read -r count <&3 || exit 0
while [ "$count" -gt 0 ]; do
  IFS= read -r word <&3
  set -- "$@" "$word"
  count=$((count - 1))
done
not_started "$@"
code=$?
[ $code -eq 0 ] || { end_with $code; exit 0; }

{
  read -r self rest < /proc/self/stat
  while read -r signal; do
    asks_to_end "$signal" && kill -s USR1 $$
    signal_all "$signal"
  done <&3
  kill_all
} >/dev/null 4>&- &
watcher=$!

count_oom_kills
oom_kills_before=$oom_kills
# Without core files in the working directory; a hard limit is what a block is known by.
[ "$role" = block ] && limit='-c 0' || limit='-S -c 0'
# Needs a separate subshell: a shell reports how a command was killed to the command's own stderr.
(ulimit $limit; exec "$@") 2>&4 3<&- 4>&-
${theEnd}`

/**
 * Runs a program whose stdin is the connection's; it gets signals from {@link signalScript}. Arguments: whether the
 * end of a process discards unread output (`yes` or `no`), and the command.
 */
export const openScript = `${scriptNames.open}
exec 3<&0 4>&2 </dev/null 2>/dev/null
mark=$FENCED_RUN_ID
leader=$$
limit_identifies=
first_session=
watcher=
role=process
loses_unread=$1
shift
${findingProcesses}
know_birth $$
${running}
not_started "$@"
code=$?
[ $code -eq 0 ] || { end_with $code; exit 0; }

count_oom_kills
oom_kills_before=$oom_kills
(ulimit -S -c 0; exec "$@") <&3 2>&4 3<&- 4>&-
${theEnd}`

/**
 * Sends a signal to all that a program of {@link openScript} is, and CONT to the program alone: what it started may have stopped itself
 * on purpose. Arguments: its run's id, and the signal's name.
 */
export const signalScript = `: fenced-signal
exec 2>/dev/null
mark=$1
limit_identifies=
first_session=
self=$$
${findingProcesses}
leads() {
  line=
  read -r line < "/proc/$1/cmdline"
  case $line in *'${scriptNames.open}'*) ;; *) return 1 ;; esac
  read -r stat < "/proc/$1/stat" || return 1
  id=$1
  set -- \${stat##*) }
  [ "$4" = "$id" ] || return 1
  while read -r line || [ -n "$line" ]; do
    case $line in *"FENCED_RUN_ID=$mark"*) return 0 ;; esac
  done < "/proc/$id/environ"
  return 1
}

continue_program() {
  for directory in /proc/[0-9]*; do
    read -r stat < "$directory/stat" || continue
    set -- \${stat##*) }
    [ "$2" = "$leader" ] && kill -s CONT "\${directory#/proc/}"
  done
}

leader=
for directory in /proc/[0-9]*; do
  leads "\${directory#/proc/}" && leader=\${directory#/proc/} && break
done
[ -z "$leader" ] && exit
know_birth "$leader"
[ "$2" = CONT ] && { continue_program; exit; }
asks_to_end "$2" && kill -s USR1 "$leader"
if [ "$2" = KILL ]; then kill_all; else signal_all "$2"; fi
:`
