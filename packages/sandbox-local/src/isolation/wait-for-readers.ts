import { basename } from 'node:path'
import { waitingForReaders } from '@fenced/shared'

/**
 * The command that runs `command` in bubblewrap and, where that is a shell, waits for what reads from it. With the end of the first
 * process there ends all that it started. Other programs do without: what waits is a process of the same user, which they
 * could trace.
 */
export function waitForReaders(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (!/^(ba|da|k|z)?sh$/.test(basename(command[0]))) return command
  return ['/bin/sh', '-c', script, 'fenced-wait', ...command]
}

const script = `
stopped=0
code=1
known=' '
for directory in /proc/[0-9]*; do known="$known\${directory#/proc/} "; done

list_remaining() {
  remaining=
  for directory in /proc/[0-9]*; do
    case $known in *" \${directory#/proc/} "*) ;; *) remaining="$remaining \${directory#/proc/}" ;; esac
  done
}
${waitingForReaders}
# A signal to all of the group is for the command. The shell would also comment on its end.
trap 'stopped=1' TERM INT HUP USR1 USR2
exec 9>&2 2> /dev/null
(exec "$@" 2>&9 9>&-)
code=$?
# Must also work when no process can be started.
trap 'exit "$code"' EXIT
wait_for_readers
`
