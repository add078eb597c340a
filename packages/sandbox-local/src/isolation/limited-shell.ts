/**
 * Counts in `$kills` whom the kernel has killed in the group of this shell because there was no memory left: `$events` is
 * the file that has it, or empty. Without a process of its own.
 */
const countKills = `count_kills() {
  kills=0
  [ -z "$events" ] || while read -r name value; do [ "$name" = oom_kill ] && kills=$value; done < "$events"
}`

/**
 * The shell that runs a command within limits.
 *
 * @param enter - what it does before: it sees to the limits, sets `$events`, and shifts its arguments until the command is left.
 */
export function limitedShell(enter: string): readonly [string, ...string[]] {
  // A SIGTERM to all of the group ends the command, not the shell, which would also comment on it. Where the memory was used
  // up systemd may send one, and the command ends by that.
  const script = `${countKills}
${enter}
count_kills
before=$kills
trap : TERM
exec 4>&2 2> /dev/null
(exec "$@" 2>&4 4>&-)
code=$?
count_kills
case $code in
  137 | 143) [ "$kills" = "$before" ] || kill -KILL $$ ;;
esac
exit "$code"`
  return ['/bin/sh', '-c', script, 'fenced-limits']
}
