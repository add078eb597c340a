import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { redactorOf } from '@fenced/core/internal'

export interface ProcessOutputEnd {
  /** Rejects with why the process has no exit code. */
  readonly failed: Promise<undefined>
  readonly abortSignal: AbortSignal | undefined
  readonly redactor: ReturnType<NewRedactor>
}

/** Returns what redacts one stream; `undefined` where nothing is redacted. */
export type NewRedactor = () => ReturnType<typeof redactorOf>

/**
 * A web stream of a process. It reads on demand, so an unused stream does not block the process. If the process was ended by its
 * signal, or its end is unknown, the stream fails with the same error as `wait()`.
 */
export function processOutput(
  output: Readable,
  end: ProcessOutputEnd,
): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(chunksOf(output, end)) as globalThis.ReadableStream<Uint8Array>
}

async function* chunksOf(
  output: Readable,
  { failed, abortSignal, redactor }: ProcessOutputEnd,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of redactor === undefined ? output : redacted(output, redactor))
      yield new Uint8Array(chunk)
  } catch (error) {
    // That the signal ended it is the reason of what happened to its streams.
    abortSignal?.throwIfAborted()
    throw error
  }
  await failed
}

async function* redacted(
  output: Readable,
  redactor: NonNullable<ReturnType<NewRedactor>>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of output) yield Buffer.from(redactor.push(decoder.decode(chunk, { stream: true })))
  yield Buffer.from(redactor.push(decoder.decode()) + redactor.end())
}
