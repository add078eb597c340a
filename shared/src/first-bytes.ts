import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 256 * 1024

/**
 * Yields the first `sizeBytes` bytes of an open file: never more, even while a program appends to the file, and fewer if the file
 * is shorter. Leaves the file open.
 */
export async function* firstBytes(file: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(sizeBytes - position, chunkBytes))
    const { bytesRead } = await file.read({ buffer, position })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
