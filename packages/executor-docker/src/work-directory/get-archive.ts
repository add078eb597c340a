import { addAbortSignal, type Readable } from 'node:stream'
import { extract, type Header } from 'tar-stream'
import type { ContainerPlace } from './container-place.ts'

/** An entry as the archive has it, and its content. */
export interface RawEntry extends AsyncIterable<Buffer> {
  readonly header: Header
}

/**
 * The entries of what is at a path in the container, one after the other; what the reader leaves of one is thrown
 * away.
 *
 * @throws when the archive does not come to its end, and what the engine answers.
 */
export async function* getArchive(
  { container, signal }: Pick<ContainerPlace, 'container' | 'signal'>,
  path: string,
): AsyncGenerator<RawEntry> {
  const response = (await container.getArchive({ path, abortSignal: signal })) as Readable
  yield* entriesOf(addAbortSignal(signal, response))
}

async function* entriesOf(response: Readable): AsyncGenerator<RawEntry> {
  const parser = extract()
  let zeros = 0
  response.on('data', (chunk: Buffer) => {
    const count = trailingZeros(chunk)
    zeros = count === chunk.length ? zeros + count : count
  })
  response.on('error', (error) => parser.destroy(error))
  response.pipe(parser)
  try {
    for await (const entry of parser) {
      // Its chunks have no type in the types of tar-stream.
      yield entry as RawEntry
      entry.resume()
    }
    // An engine that fails in the middle ends its answer as if all were well, and tar-stream takes that for the end.
    if (zeros < endOfArchive) throw new Error('The engine ended the archive before its end.')
  } finally {
    response.destroy()
  }
}

/** An archive ends with two empty blocks (pax(1)). */
const endOfArchive = 1024

function trailingZeros(chunk: Buffer): number {
  let count = 0
  while (count < chunk.length && count < endOfArchive && chunk[chunk.length - 1 - count] === 0) count++
  return count
}
