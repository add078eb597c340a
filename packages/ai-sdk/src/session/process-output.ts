import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'

/** What a stream ends with, beside its own end. */
export interface ProcessOutputEnd {
  /** Rejects with why the process has no exit code. */
  readonly failed: Promise<undefined>
  readonly abortSignal: AbortSignal | undefined
}

/**
 * A stream of a process for the web. Nothing is taken before it is read, so that one that nobody reads does not hold the process
 * up. Where the process was ended by its signal, or its end is not known, the stream ends with the same error as `wait()`.
 */
export function processOutput(
  output: Readable,
  end: ProcessOutputEnd,
): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(chunksOf(output, end)) as globalThis.ReadableStream<Uint8Array>
}

async function* chunksOf(
  output: Readable,
  { failed, abortSignal }: ProcessOutputEnd,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of output) yield new Uint8Array(chunk)
  } catch (error) {
    // That the signal ended it is the reason of what happened to its streams.
    abortSignal?.throwIfAborted()
    throw error
  }
  await failed
}
