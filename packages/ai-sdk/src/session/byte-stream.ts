import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** The content of a file, which is closed when all of it was read, or its reader leaves. */
export function contentOf(file: FileHandle, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const content = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>
  return untilAborted(content, signal)
}

/** The same bytes; when the signal is aborted their reader gets its reason, and the source is cancelled. */
export function untilAborted(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (signal === undefined) return stream
  return stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal })
}
