/**
 * Unpacks an archive that comes in chunks, each after a line with its length. A line with 0 and a line with the mark follow.
 * Files belong to the user of the process. Arguments: directory, mark.
 */
export const unpackScript = `cd -- "$1" && while IFS= read -r size && [ "$size" -gt 0 ]; do
  dd bs="$size" count=1 iflag=fullblock 2> /dev/null || exit
done | {
  tar -xpof -
  code=$?
  dd of=/dev/null 2> /dev/null
  exit $code
} && IFS= read -r line && [ "$line" = "$2" ]
code=$?
printf '%s%03d' "$2" $code
# The rest of a refused archive must not be read as the next script.
[ $code -eq 0 ] || while read -r line; do :; done`

/**
 * Packs a file or a directory. The first line says that the path exists; exit code {@link notThere} says that it does not.
 * GNU tar would take a backslash in a name for an escape. Arguments: directory, name, mark.
 */
export const packScript = `if { cd -- "$1" && { [ -e "./$2" ] || [ -L "./$2" ]; }; } 2> /dev/null; then
  verbatim=--no-unquote
  tar "$verbatim" --version > /dev/null 2>&1 || verbatim=
  echo
  tar $verbatim -cf - -- "$2"
else
  (exit 98)
fi
printf '%s%03d' "$3" $?`

/** The exit code of {@link packScript} for a path that does not exist. */
export const notThere = 98

/** Large enough to be worth the process that reads it, in bytes. */
const chunkBytes = 256 * 1024

/** An archive as {@link unpackScript} reads it. */
export async function* inChunks(archive: AsyncIterable<Buffer>, mark: string): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  const chunk = () => Buffer.concat([Buffer.from(`${size}\n`), ...waiting])
  for await (const part of archive) {
    waiting.push(part)
    size += part.length
    if (size < chunkBytes) continue
    yield chunk()
    waiting = []
    size = 0
  }
  const end = Buffer.from(`0\n${mark}\n`)
  yield size === 0 ? end : Buffer.concat([chunk(), end])
}
