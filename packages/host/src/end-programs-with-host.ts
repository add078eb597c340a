import { spawn } from 'node:child_process'
import { formatOwner, thisOwner } from '@fenced/shared'
import { markName, markPrefix } from './descendant-processes.ts'
import { withoutInherited } from './descriptors.ts'

/**
 * Waits until its stdin ends, which happens at any end of the thread that loaded this module, and ends the programs that
 * this copy of the module started: those that have its mark in their environment. Other threads of the process have copies and
 * separate watchers. Resident Pythons and kernels end on their own, with all processes that they started, so they are ended only if
 * they still run after some seconds, and their children with them.
 *
 * The mark is the last part of a variable. A shell omits the zero byte after it, so the next variable follows at once;
 * the number at the mark's end comes from a clock, so it is never the beginning of another mark of the same process.
 */
const script = `
mark=$1
owner=$2
read -r nothing

ends_itself() {
  case $environment in *JPY_PARENT_PID=*) return 0 ;; esac
  read -r line < "/proc/$process/cmdline"
  case $line in *fenced_runner*) return 0 ;; esac
  return 1
}

# What a resident Python has started may lack the mark. None of the tree can start another process once it is stopped.
end_tree() {
  tree=
  pending=$process
  while [ -n "$pending" ]; do
    next=\${pending%% *}
    pending=\${pending#"$next"}
    pending=\${pending# }
    kill -s STOP "$next" || continue
    tree="$tree $next"
    for other in /proc/[0-9]*; do
      read -r line < "$other/stat" || continue
      set -- \${line##*) }
      [ "$2" = "$next" ] && pending="\${pending:+$pending }\${other#/proc/}"
    done
  done
  [ -n "$tree" ] && kill -s KILL $tree && found=yes
}

# A shell reads byte by byte.
if printf 'a\\000b' | grep -qz '^b'; then
  candidates() { cd /proc && grep -lsz "^${markName}=$mark" [0-9]*/environ; }
else
  candidates() { cd /proc && echo [0-9]*; }
fi

end_all() {
  found=
  remain=
  for found_in in $(candidates); do
    process=\${found_in%%/*}
    environment=
    while read -r line || [ -n "$line" ]; do environment=$environment$line; done < "/proc/$process/environ"
    case $environment in *"${markName}=$mark"${'?'.repeat(28)}"@$owner"*) ;; *) continue ;; esac
    if ! ends_itself; then
      kill -s KILL "$process" && found=yes
    elif [ "$1" = all ]; then
      end_tree
    else
      remain=yes
    fi
  done
}

# A process has no environment for a moment while it becomes another program: nothing is left where two rounds found nothing.
for which in first all; do
  round=0
  quiet=0
  while [ $quiet -lt 2 ] && [ $round -lt 50 ]; do
    end_all $which
    quiet=$((quiet + 1))
    if [ -n "$found" ]; then quiet=0; else sleep 0.1 || sleep 1; fi
    round=$((round + 1))
  done
  [ -n "$remain" ] || break
  sleep 3
done 2>/dev/null
`

let isWatched = false

/**
 * Makes this thread's programs end when the thread or the process ends, even by SIGKILL. (A signal alone would reach a program,
 * but not what it started.) Call this before the first program is started. Linux only.
 */
export function endProgramsWithHost(): void {
  if (isWatched || process.platform !== 'linux') return
  isWatched = true
  const names = ['fenced-end-with-host', markPrefix, formatOwner(thisOwner())]
  const watcher = spawn('/bin/sh', ['-c', script, ...names], {
    cwd: '/',
    // Not the PATH of this process: code may write a `sleep` into one of its directories.
    env: { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' },
    stdio: ['pipe', 'ignore', 'ignore', ...withoutInherited(3)],
    // Ctrl-C in a terminal is not for it.
    detached: true,
  })
  // Without it programs of a killed host are ended by the next one.
  watcher.on('error', () => {})
  watcher.stdin?.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref?: () => void } | null)?.unref?.()
}
