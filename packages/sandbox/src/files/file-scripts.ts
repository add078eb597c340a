// Scripts for a POSIX shell, with coreutils or BusyBox. Every path is an argument and absolute, so none looks like an option.

/** The exit code for: nothing of the kind is there. */
export const nothingThere = 100
/** The exit code for: less arrived than was sent. */
export const cutShort = 101

/** Kind and permissions as one hexadecimal number, bytes, seconds: with a fraction from coreutils, without from BusyBox. */
const entryFormat = '%f %s %.3Y'

/** How many names one `stat` gets. They fit into its arguments at any length. */
const batch = 500

/** Prints the entry at $1. */
export const statScript = `exec stat -c '${entryFormat}' "$1"`

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

/**
 * From here on nothing cancels it: the old content or the new one is there when it ends. A link to a directory is one to the
 * `mv` of BusyBox, which refuses it.
 */
const commit = `
trap '' TERM INT
[ "$(stat -c %s "$temporary")" = "$size" ] || give_up ${cutShort}
if [ -z "$mode" ] && [ -f "$target" ] && [ ! -L "$target" ]; then
  mode=$(stat -c %a "$target") && mode=$(printf %o $((0$mode & 0777))) || give_up 1
fi
[ -z "$mode" ] || chmod "$mode" "$temporary" || give_up 1
if [ ! -d "$target" ]; then
  mv -f "$temporary" "$target" || give_up 1
elif [ -L "$target" ]; then
  mv -fT "$temporary" "$target" 2> /dev/null ||
    { rm -f "$target" && mv -f "$temporary" "$target"; } || give_up 1
else
  echo 'Is a directory' >&2
  give_up 1
fi
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

export const discardScript = 'exec rm -f "$1"'
