/**
 * Runs one block inside the container, with nothing but what every POSIX shell has built in: slim images have no
 * `ps`, `pkill` or `timeout`, and where a program has used up its processes nothing can be started any more.
 *
 * The host speaks to it through stdin: how many names to remove first and these names, how many words the command
 * has and these words, each in a line; after that a line names a signal for the block, and the end of stdin, which a lost
 * connection brings about, is SIGKILL.
 *
 * The block is every process of this session, every process whose hard limit for core files is 0, and every process
 * that has the run's id in its environment. The limit finds a daemon that left the session and cleared its
 * environment: the kernel hands it down and raises it for nobody without CAP_SYS_RESOURCE (getrlimit(2)). It says
 * nothing where the engine gives it to the whole container, or where another executor runs blocks in there as well;
 * the first argument is `yes` where none does.
 */
export const blockScript = `: fenced-block
exec 3<&0 4>&2 </dev/null 2>/dev/null
mark=$FENCED_RUN_ID

has_core_limit_0() {
  while read -r what core file size soft hard unit; do
    [ "$what $core" = 'Max core' ] || continue
    [ "$hard" = 0 ]
    return
  done < "/proc/$1/limits"
  return 1
}

limit_identifies=$1
shift
has_core_limit_0 $$ && limit_identifies=

is_ours() {
  read -r stat < "/proc/$1/stat" || return 1
  id=$1
  set -- \${stat##*) }
  [ "$1" = Z ] && return 1
  [ "$4" = "$$" ] && return 0
  [ "$limit_identifies" = yes ] && has_core_limit_0 "$id" && return 0
  while read -r line || [ -n "$line" ]; do
    case $line in *"FENCED_RUN_ID=$mark"*) return 0 ;; esac
  done < "/proc/$id/environ"
  return 1
}

signal_all() {
  found=
  for directory in /proc/[0-9]*; do
    process=\${directory#/proc/}
    [ "$process" = "$$" ] || [ "$process" = "$self" ] && continue
    is_ours "$process" || continue
    kill -s "$1" "$process" && kill -s CONT "$process"
    found=yes
  done
}

kill_all() {
  round=0
  while [ $round -lt 50 ]; do
    signal_all KILL
    [ -z "$found" ] && break
    round=$((round + 1))
  done
}

count_oom_kills() {
  oom_kills=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$file" ] || continue
    while read -r name value; do [ "$name" = oom_kill ] && oom_kills=$value; done < "$file"
  done
}

IFS= read -r count <&3 || exit 0
while [ "$count" -gt 0 ]; do
  IFS= read -r name <&3
  rm -rf -- "$name"
  count=$((count - 1))
done
IFS= read -r count <&3 || exit 0
while [ "$count" -gt 0 ]; do
  IFS= read -r word <&3
  set -- "$@" "$word"
  count=$((count - 1))
done

# The watcher says with it that it has sent the block a signal. A shell acts on it when the block has ended.
stopped=0
trap 'stopped=2' USR1

{
  read -r self rest < /proc/self/stat
  while read -r signal; do
    kill -s USR1 $$
    signal_all "$signal"
  done <&3
  kill_all
} >/dev/null 4>&- &
watcher=$!

count_oom_kills
oom_kills_before=$oom_kills
# A subshell of its own: a shell reports how a command was killed to the command's own stderr. With a core limit of 0 a
# crash writes no core file into the working directory.
(ulimit -c 0; exec "$@") 2>&4 3<&- 4>&-
code=$?
flags=$stopped
# It must not cut what is written from here on.
trap '' USR1
self=$watcher
kill_all
if [ $code -eq 137 ]; then
  count_oom_kills
  [ "$oom_kills" = "$oom_kills_before" ] || flags=$((flags + 1))
fi
until printf '\\036%s%s\\036' "$mark" $flags; do sleep 1 || break; done
until printf '\\036%s%s\\036' "$mark" $flags >&4; do sleep 1 || break; done
kill -s KILL $watcher
exit $code
`
