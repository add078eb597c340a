import { addAbortSignal, type Readable } from 'node:stream'
import { FencedError } from '@fenced/core'
import { archivesOf } from '@fenced/core/sandbox'
import { errorMessage, reasonIn } from '@fenced/errors'
import { whereIs } from '../exec/exec-target.ts'
import type { RawEntry, TarHeader } from './archive-entry.ts'
import type { CopyTarget } from './sides.ts'

/**
 * The entries of what is at a path in the sandbox, one after the other, and none when nothing is there; what the reader
 * leaves of one is thrown away.
 *
 * @throws FencedError `ENGINE_LOST` when the archive is incomplete; the error with which the backend rejects.
 */
export async function* getArchive(
  { backend, signal }: Pick<CopyTarget, 'backend' | 'signal'>,
  path: string,
): AsyncGenerator<RawEntry> {
  const response = await archivesOf(backend).get(path, { signal })
  if (response === undefined) return
  try {
    yield* entriesOf(addAbortSignal(signal, response), whereIs(backend))
  } catch (error) {
    signal.throwIfAborted()
    throw interruptedError(error, whereIs(backend))
  }
}

async function* entriesOf(response: Readable, where: string): AsyncGenerator<RawEntry> {
  const { extract } = await import('tar-stream')
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
      yield {
        header: entry.header as TarHeader,
        [Symbol.asyncIterator]: () => contentOf(entry as AsyncIterable<Buffer>, where),
      }
      entry.resume()
    }
    // An engine that fails in the middle ends its answer as if all were well, and tar-stream takes that for the end.
    if (zeros < endOfArchive) throw new Error('The engine ended the archive before its end.')
  } finally {
    response.destroy()
  }
}

async function* contentOf(entry: AsyncIterable<Buffer>, where: string): AsyncGenerator<Buffer> {
  try {
    yield* entry
  } catch (error) {
    throw interruptedError(error, where)
  }
}

function interruptedError(cause: unknown, where: string): Error {
  if (FencedError.isInstance(cause)) return cause
  const why = errorMessage(cause)
  return new FencedError({
    code: 'ENGINE_LOST',
    message: `Some of the sandbox’s files could not be copied from ${where}: ${reasonIn(why)}. The copied files are complete. Run the block again to copy the others.`,
    data: { backend: where, reason: why },
    cause,
  })
}

/** An archive ends with two empty blocks (pax(1)). */
const endOfArchive = 1024

function trailingZeros(chunk: Buffer): number {
  let count = 0
  while (count < chunk.length && count < endOfArchive && chunk[chunk.length - 1 - count] === 0) count++
  return count
}
