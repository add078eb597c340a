/** Bytes of output in a frame: a third of them more as text, and a multiple of three. */
const outputBytes = 48 * 1024

/** How many frames of each stream are sent ahead of the reader. */
export const framesAhead = 4

/**
 * How a command is started whose input and output have to be text. Both directions are lines of ASCII.
 *
 * Input: `<length>` and that much base64 of a script that sets `$user`, `$cwd`, `$stdin` and the arguments; then `i <length>` with
 * that much base64 of stdin, `z` for its end, `o` and `e` for a frame of output that was read, and `q` to disconnect.
 * Output: `b` when the command begins, `o <length> <base64>` and `e <length> <base64>` for stdout and stderr, where length 0 is the
 * end, `a` for a frame of stdin that was taken, and `x <code>`. Exit codes before `b`: see {@link textFailures}.
 *
 * A frame of stdin is sent when the one before was taken, so the reader of this script's input never waits for the command.
 */
export const textScript = `
for program in base64 dd mkfifo setsid tr; do
  command -v "$program" > /dev/null || { echo "there is no $program" >&2; exit 97; }
done
IFS= read -r size || exit 95
script=$(dd bs="$size" count=1 iflag=fullblock 2> /dev/null | base64 -d) || exit 95
eval "$script"
case $user in
'' | "$(id -un)" | "$(id -u)" | "$(id -u):$(id -g)") ;;
*) exit 98 ;;
esac
pipes=/tmp/fenced-text-$run
mkdir -m 700 "$pipes" && mkfifo "$pipes/in" "$pipes/out" "$pipes/err" "$pipes/turn" || exit 96
exec 3>&1 4<&0 5<>"$pipes/in" 6<"$pipes/in" 7<>"$pipes/out" 8<>"$pipes/err" 9<>"$pipes/turn" || exit 96
exec 5>"$pipes/in" < /dev/null || exit 96
rm -rf "$pipes"

# One writes at a time.
say() {
  read -r turn <&9
  printf '%s\\n' "$1" >&3
  echo >&9
}

receive() {
  while read -r kind size; do
    case $kind in
    i) echo "$size" >&5 && dd bs="$size" count=1 iflag=fullblock >&5 ;;
    z) exec 5>&- ;;
    o) echo >&7 ;;
    e) echo >&8 ;;
    *) break ;;
    esac
  done
  echo q >&7
  echo q >&8
  # A process that writes to a closed connection ends, and releases its turn.
  echo >&9
  echo >&9
  echo >&9
  echo >&9
}

feed() {
  while IFS= read -r size; do
    dd bs="$size" count=1 iflag=fullblock | base64 -d
    say a
  done 2> /dev/null <&6
}

# Which stream, and the descriptor of the frames that were read.
send() {
  while read -r taken <&"$2" && [ -z "$taken" ]; do
    chunk=$(dd bs=${outputBytes} count=1 2> /dev/null | base64 | tr -d '\\n') || break
    say "$1 \${#chunk} $chunk"
    [ -n "$chunk" ] || break
  done
}

# The messages of this shell are not the command's.
run() {
  [ "$stdin" = yes ] || exec < /dev/null
  exec 6>&2 2> /dev/null
  if cd -- "$cwd" 2>&6; then
    setsid env "$@" 2>&6 3>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    code=$?
  else
    code=126
  fi
  say "x $code"
}

echo >&9
for taken in ${Array.from({ length: framesAhead }, (_, index) => index).join(' ')}; do
  echo >&7
  echo >&8
done
receive <&4 2> /dev/null &
exec 4<&- 5>&-
say b
feed | {
  exec 6<&-
  { run "$@" 2>&1 >&4 4>&- | send e 8 4>&-; } 4>&1 | send o 7
}`

/** The exit codes of {@link textScript} before a command begins. */
export const textFailures = { noInput: 95, noPipes: 96, noProgram: 97, otherUser: 98 } as const

/** The script that sets what {@link textScript} needs. */
export function textPreamble(parts: {
  readonly run: string
  readonly user: string
  readonly cwd: string
  readonly stdin: boolean
  readonly words: readonly string[]
}): string {
  const { run, user, cwd, stdin, words } = parts
  const settings = { run, user, cwd, stdin: stdin ? 'yes' : 'no' }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`)
  return [...lines, `set -- ${words.map(quoted).join(' ')}`].join('\n')
}

/** A word of a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
