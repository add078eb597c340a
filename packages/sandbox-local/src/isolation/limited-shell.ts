/**
 * Counts in `$kills` the processes that the kernel has killed in the group of this shell for lack of memory. `$events` is
 * the file with the count, or empty. Starts no process.
 */
const countKills = `count_kills() {
  kills=0
  [ -z "$events" ] || while read -r name value; do [ "$name" = oom_kill ] && kills=$value; done < "$events"
}`

/**
 * By this the shell ends for a command that was out of memory. Not by SIGKILL: in bubblewrap a program can send that to its
 * process group, to which the shell belongs as well, and this one the shell catches until it sends it to itself.
 */
export const outOfMemorySignal = 'SIGUSR2'

/**
 * The shell that runs a command within limits.
 *
 * @param enter - shell code that applies the limits, sets `$events`, and shifts the arguments up to the command.
 */
export function limitedShell(enter: string): readonly [string, ...string[]] {
  // A SIGTERM to all of the group ends the command, not the shell, which would also comment on it. Where the memory was used
  // up systemd may send one, and the command ends by that. The descriptors from 3 on are the command's; 9 is the last that
  // every shell knows.
  const script = `${countKills}
${enter}
count_kills
before=$kills
trap : TERM USR2
exec 9>&2 2> /dev/null
(exec "$@" 2>&9 9>&-)
code=$?
count_kills
case $code in
  137 | 143) [ "$kills" = "$before" ] || { trap - USR2 && kill -USR2 $$; } ;;
esac
exit "$code"`
  return ['/bin/sh', '-c', script, 'fenced-limits']
}
