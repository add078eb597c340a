/** Called with the number of bytes so far. */
type OnProgress = (bytes: number) => void

/** Yields chunks, and reports each when its reader asks for the next one. */
export async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: OnProgress,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk
    bytes += chunk.length
    onProgress(bytes)
  }
}

/** Long enough that a piece costs little, and short enough to show progress. */
const pieceLength = 1_048_576

/** Yields bytes in pieces. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength)
}
