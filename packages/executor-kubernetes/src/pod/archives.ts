import { Readable } from 'node:stream'
import type { BackendProcess } from '@fenced/core/sandbox'
import { type MarkedEnd, printEnd } from './marked-end.ts'

/** Files belong to the user of the pod, who cannot give any away. Arguments: directory, mark. */
export const unpackScript = `cd -- "$1" && tar -xpof -
${printEnd(2)}`

/**
 * The first line says that it begins; it ends when stdin does, or what was not read yet is lost. GNU tar would take a backslash in a name for the beginning of another character.
 * Arguments: directory, name, mark.
 */
export const packScript = `{ cd -- "$1" && { [ -e "./$2" ] || [ -L "./$2" ]; }; } 2> /dev/null || exit 98
verbatim=--no-unquote
tar "$verbatim" --version > /dev/null 2>&1 || verbatim=
echo
tar $verbatim -cf - -- "$2"
${printEnd(3)}
while read -r line; do :; done`

const notThere = 98

interface ArchiveOptions {
  readonly end: MarkedEnd
  readonly signal: AbortSignal
  fault(words: string): Promise<Error>
}

/** The output of {@link packScript}; `undefined` when nothing is there. */
export async function archiveOf(
  process: BackendProcess,
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
