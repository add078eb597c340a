/**
 * Waits in a shell for what a program left: `list_remaining` sets `$remaining` to the numbers of its processes, and `$stopped` is 0
 * until the program is stopped.
 *
 * A process whose stdin is a pipe, or a socket as Node gives to a child, that only such processes can write into gets no more than it
 * has already: it works on the rest of what the program wrote, as `>(sort > sorted.txt)` does, for which no shell waits. A background job is no such
 * process (its stdin is empty), and neither is the log of a server that continues to run.
 */
export const waitingForReaders = `
holds() {
  for holding in "/proc/$1/fd/"*; do
    [ "$holding" -ef "$2" ] && return 0
  done
  return 1
}

# The two ends of a socket have different numbers: each socket that the reader does not have may be the other end.
may_feed() {
  [ -S "/proc/$2/fd/0" ] || { holds "$1" "/proc/$2/fd/0"; return; }
  for held in "/proc/$1/fd/"*; do
    [ -S "$held" ] && ! holds "$2" "$held" && return 0
  done
  return 1
}

have_readers() {
  readers=
  others=
  for each in $remaining; do
    if [ -p "/proc/$each/fd/0" ] || [ -S "/proc/$each/fd/0" ]; then readers="$readers $each"; else others="$others $each"; fi
  done
  moved=yes
  while [ -n "$readers" ] && [ -n "$moved" ]; do
    moved=
    unfed=
    for reader in $readers; do
      for other in $others; do
        may_feed "$other" "$reader" && moved=yes && others="$others $reader" && continue 2
      done
      unfed="$unfed $reader"
    done
    readers=$unfed
  done
  [ -n "$readers" ]
}

# Everything for 0.1 seconds, and readers for 8.
wait_for_readers() {
  waits=0
  while [ "$waits" -lt 400 ] && [ "$stopped" = 0 ]; do
    list_remaining
    # Where there are many no process may be left for \`sleep\`.
    set -- $remaining
    [ $# -gt 0 ] && [ $# -le 32 ] || return
    [ "$waits" -lt 5 ] || have_readers || return
    sleep 0.02 || return
    waits=$((waits + 1))
  done
}
`
