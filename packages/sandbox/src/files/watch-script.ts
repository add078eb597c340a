import { fileWatch } from '../embedded.ts'
import { nothingThere } from './file-scripts.ts'

/** How often a directory is listed where there is no Python, in seconds. */
const pollSeconds = 1

/**
 * Watches the directory $2 below $1: by Python with inotify, which prints changes, or by listings, of which each that differs from the
 * one before is printed. $3 is `recursive` or nothing, $4 the program.
 */
export const watchScript = `
for python in python3 python; do
  "$python" -I -S -c 'import os; os.scandir' 2> /dev/null || continue
  echo changes
  exec "$python" -I -S -c "$4" "$1" "$2" "$3"
done
cd -- "$1" || exit 1
[ -z "$2" ] || { [ ! -L "$2" ] && cd "./$2"; } || exit ${nothingThere}
depth='-maxdepth 1'
[ -z "$3" ] || depth=
echo listings
before=none
while :; do
  now=$(find . -mindepth 1 $depth -name '.fenced-*' -prune -o -exec stat -c '%f %s %.3Y %Z %i %n//' {} + 2> /dev/null)
  [ "$now" = "$before" ] || printf '%s\\n//\\n' "$now"
  before=$now
  [ . -ef "$PWD" ] || exit 0
  sleep ${pollSeconds}
done
`

export function watchArguments(base: string, name: string, { recursive }: { recursive: boolean }): string[] {
  return [base, name, recursive ? 'recursive' : '', fileWatch]
}
