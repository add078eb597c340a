import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import type { KeptProcess } from './kept-exec.ts'
import type { MarkedEnd } from './marked-end.ts'

/**
 * Unpacks an archive that comes in chunks, each behind a line with its length; after them comes a line with 0, and one with the mark.
 * Files belong to the user of the pod, who cannot give any away. Arguments: directory, mark.
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
# Nothing that was sent for this script is read as another one.
[ $code -eq 0 ] || while read -r line; do :; done`

/**
 * Its first line says that something is there. GNU tar would take a backslash in a name for the beginning of another character.
 * Arguments: directory, name, mark.
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

/** What cannot be removed is left. Arguments: mark, directory, names. */
export const removeScript = `mark=$1
cd -- "$2" && shift 2 && rm -rf -- "$@"
printf '%s000' "$mark"`

/** As many bytes are worth the process that reads them. */
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

const notThere = 98

interface ArchiveOptions {
  readonly end: MarkedEnd
  readonly signal: AbortSignal
  fault(words: string): Promise<Error>
}

/** The output of {@link packScript}; `undefined` when nothing is there. */
export async function archiveOf(
  process: KeptProcess,
  { end, signal, fault }: ArchiveOptions,
): Promise<Readable | undefined> {
  const begun = Promise.withResolvers<void>()
  const flow = new Flow()
  const content = new Readable({
    read: () => flow.go(),
    destroy(error, done) {
      flow.go()
      signal.removeEventListener('abort', onAbort)
      process.destroy()
      done(error)
    },
  })
  const onAbort = () => content.destroy(isFirst ? undefined : signal.reason)
  let isFirst = true
  signal.addEventListener('abort', onAbort, { once: true })
  const reading = end.read(process, (chunk) => {
    const text = isFirst ? chunk.subarray(1) : chunk
    if (isFirst) begun.resolve()
    isFirst = false
    if (text.length === 0 || content.destroyed || content.push(text)) return
    return flow.stop()
  })
  const finished = reading.then(async (exitCode) => {
    if (exitCode !== undefined) process.done()
    if (exitCode === 0) return void content.push(null)
    const error = signal.aborted ? signal.reason : await fault(end.words || 'it was cut off')
    // What is let go of before its end has no end to tell of.
    if (!isFirst && !content.destroyed) content.destroy(error)
    if (isFirst && exitCode !== notThere) throw error
  })
  try {
    await Promise.race([begun.promise, finished])
  } finally {
    // Nobody gets it, so nobody would hear of an error of it.
    if (isFirst) content.destroy()
  }
  return isFirst ? undefined : content
}

/** Holds a sender up until a reader wants more. */
class Flow {
  #gate: PromiseWithResolvers<void> | undefined

  stop(): Promise<void> {
    this.#gate ??= Promise.withResolvers<void>()
    return this.#gate.promise
  }

  go(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }
}

/** Writes until the reader has ended: what it did not take, because all that it needs was there, is no fault. */
export async function writeAll(
  stdin: Writable,
  chunks: AsyncIterable<Buffer>,
  reading: Promise<unknown>,
): Promise<void> {
  let hasEnded = false
  const ended = reading.then(() => {
    hasEnded = true
  })
  try {
    for await (const chunk of chunks) {
      if (!hasEnded && !stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), ended])
      if (hasEnded) break
    }
  } catch (error) {
    if (!hasEnded) throw error
  }
}
