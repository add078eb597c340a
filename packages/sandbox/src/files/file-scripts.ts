// Scripts for a POSIX shell, with coreutils or BusyBox. Every path is an argument and absolute, so none looks like an option.

/** The exit code for: nothing of the kind is there. */
export const nothingThere = 100
/** The exit code for: less arrived than was sent. */
export const cutShort = 101

/** Kind and permissions as one hexadecimal number, bytes, seconds (without a fraction from BusyBox), user, group. */
const entryFormat = '%f %s %.3Y %u %g'

/** How many names one `stat` gets. They fit into its arguments at any length. */
const batch = 500

/** Prints the entry at $1, and in a second line the target of a link. */
export const statScript = `
stat -c '${entryFormat}' "$1" || exit 1
[ ! -L "$1" ] || readlink -n "$1"
`

/** Prints a line once the regular file $1 is open, and then its content. */
export const readScript = `
kind=$(stat -c %f "$1") || exit 1
case $kind in 8???) ;; *) exit ${nothingThere} ;; esac
exec < "$1" || exit 1
echo
exec cat
`

/**
 * Prints what is in the directory $1. No name has a slash in it, so a slash and a newline end an entry. A name that is
 * removed meanwhile, or a pattern without a match, makes \`stat\` report an error and continue.
 */
export const listScript = `
kind=$(stat -c %f "$1") || exit 1
case $kind in 4???) ;; *) exit ${nothingThere} ;; esac
cd "$1" && [ -r . ] || { echo 'Permission denied' >&2; exit 1; }
set -- * .[!.]* ..?*
while [ $# -gt ${batch} ]; do
  stat -c '${entryFormat} %n/' -- ${Array.from({ length: batch }, (_, index) => `"\${${index + 1}}"`).join(' ')} || [ $? -eq 1 ] || exit 1
  shift ${batch}
done
stat -c '${entryFormat} %n/' -- "$@" || [ $? -eq 1 ]
`

export const makeDirectoryScript = 'exec mkdir -p "$1"'

/** A directory that its owner may not change keeps what is in it, until the owner may. */
export const removeScript = `
rm -rf "$1" 2> /dev/null && exit
[ -d "$1" ] && [ ! -L "$1" ] && chmod -R u+rwx "$1" 2> /dev/null
exec rm -rf "$1"
`

const writeArguments = `
directory=$1 temporary=$2 target=$3 size=$4 mode=$5
give_up() { rm -f "$temporary"; exit "$1"; }
`

const receive = `
mkdir -p "$directory" || exit 1
set -C
cat > "$temporary" || give_up 1
`

/** Moves $1 to $2, which is not a directory. To the `mv` of BusyBox, a link to a directory is one. */
const place = `
place() {
  if [ ! -L "$2" ]; then mv -f "$1" "$2"
  else mv -fT "$1" "$2" 2> /dev/null || { rm -f "$2" && mv -f "$1" "$2"; }
  fi
}
`

/** From here on nothing cancels it: the old content or the new one is there when it ends. */
const commit = `
${place}
trap '' TERM INT
[ "$(stat -c %s "$temporary")" = "$size" ] || give_up ${cutShort}
if [ -z "$mode" ] && [ -f "$target" ] && [ ! -L "$target" ]; then
  mode=$(stat -c %a "$target") && mode=$(printf %o $((0$mode & 0777))) || give_up 1
fi
[ -z "$mode" ] || chmod "$mode" "$temporary" || give_up 1
if [ -d "$target" ] && [ ! -L "$target" ]; then
  echo 'Is a directory' >&2
  give_up 1
fi
place "$temporary" "$target" || give_up 1
`

/**
 * The parts of a write. Their arguments: the directory, a temporary file in it, the target, how many bytes there are, and the
 * mode in octal or nothing: then an existing file keeps its own. The end of stdin alone commits nothing: it looks the same where a connection was cut.
 */
export const writeScripts = {
  /** Stores stdin beside the target. */
  receive: writeArguments + receive,
  /** Puts what was stored in the place of the target. */
  commit: writeArguments + commit,
  /** Both, where the size is known before. */
  whole: writeArguments + receive + commit,
} as const

/** Refuses what a move or a copy must not replace, and makes the directory above the new path. */
const transfer = `
directory=$1 from=$2 to=$3 temporary=$4 overwrite=$5
refuse() { echo "$1" >&2; exit 1; }
is_directory() { [ -d "$1" ] && [ ! -L "$1" ]; }
[ -e "$from" ] || [ -L "$from" ] || exit ${nothingThere}
if [ -e "$to" ] || [ -L "$to" ]; then
  [ -n "$overwrite" ] || refuse 'File exists'
  ! is_directory "$to" || refuse 'the directory at the new path is never replaced'
  ! is_directory "$from" || refuse 'a directory cannot replace the file at the new path'
fi
mkdir -p "$directory" || exit 1
${place}
`

/** Their arguments: the directory above the new path, the path, the new path, a temporary path beside it, a word to overwrite. */
export const transferScripts = {
  move: `${transfer}
# Of two names of one file, rename(2) would keep both.
[ ! "$from" -ef "$to" ] || [ -L "$from" ] || [ -L "$to" ] || exec rm -f "$from"
place "$from" "$to"
`,
  copy: `${transfer}
[ -L "$from" ] || [ -f "$from" ] || [ -d "$from" ] || refuse 'it is a pipe, a socket or a device'
cp -RP "$from" "$temporary" || exit 1
trap '' TERM INT
place "$temporary" "$to"
`,
} as const
