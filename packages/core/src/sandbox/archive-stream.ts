import { Readable, type Writable } from 'node:stream'
import { notThere } from './archive-scripts.ts'
import type { MarkedEnd } from './marked-end.ts'
import type { OutputSink } from './sandbox-process.ts'

/** A shell that runs a script. */
export interface ScriptProcess {
  readonly stdin: Writable
  read(sink: OutputSink): Promise<void>
  /**
   * Called when the script has printed its mark.
   *
   * @default `destroy` ends it
   */
  done?(): void
  destroy(): void
}

interface ArchiveOptions {
  readonly end: MarkedEnd
  readonly signal: AbortSignal
  /** @param exitCode - `undefined` when the connection was cut. */
  fault(exitCode: number | undefined): Promise<Error>
}

/** The output of `packScript`; `undefined` when the path does not exist. */
export async function archiveOf(
  process: ScriptProcess,
  { end, signal, fault }: ArchiveOptions,
): Promise<Readable | undefined> {
  const begun = Promise.withResolvers<void>()
  const flow = new Flow()
  const content = new Readable({
    read: () => flow.resume(),
    destroy(error, done) {
      flow.resume()
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
    return flow.pause()
  })
  const finished = reading.then(async (exitCode) => {
    if (exitCode !== undefined) process.done?.()
    if (exitCode === 0) return void content.push(null)
    const error = signal.aborted ? signal.reason : await fault(exitCode)
    // A stream that its reader has destroyed needs no error.
    if (!isFirst && !content.destroyed) content.destroy(error)
    if (isFirst && exitCode !== notThere) throw error
  })
  try {
    await Promise.race([begun.promise, finished])
  } finally {
    // The caller does not get this stream, so it must not emit an error.
    if (isFirst) content.destroy()
  }
  return isFirst ? undefined : content
}

/** Holds a sender until a reader wants more. */
class Flow {
  #gate: PromiseWithResolvers<void> | undefined

  pause(): Promise<void> {
    this.#gate ??= Promise.withResolvers<void>()
    return this.#gate.promise
  }

  resume(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }
}
