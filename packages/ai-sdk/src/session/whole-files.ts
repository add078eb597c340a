import type { DirectoryEntry, FileStat, SandboxSession } from '../ai-sdk.ts'
import { LineSelection } from './line-range.ts'
import { fileFailed } from './sandbox-error.ts'
import { decoderOf, encodeText } from './text-encoding.ts'

/** So much of a file is returned at once, in bytes or UTF-16 code units. A program can make one of any size. */
const mostAtOnce = 2 ** 26

export interface PathCall {
  readonly path: string
  readonly abortSignal?: AbortSignal | undefined
}

/** The files of a session, as its commands see them. */
export interface FilesByPath {
  read(call: PathCall): Promise<ReadableStream<Uint8Array> | null>
  write(content: Uint8Array | ReadableStream<Uint8Array>, call: PathCall): Promise<void>
  stat(call: PathCall): Promise<FileStat | null>
  list(call: PathCall): Promise<DirectoryEntry[] | null>
  delete(call: PathCall): Promise<boolean>
}

export function fileMethods(files: FilesByPath): Omit<SandboxSession, 'description' | 'run' | 'spawn'> {
  const readFile: SandboxSession['readFile'] = (call) => files.read(call)
  return {
    readFile,
    ...wholeFiles(readFile),
    writeFile: ({ content, ...call }) => files.write(content, call),
    writeBinaryFile: ({ content, ...call }) => files.write(content, call),
    writeTextFile: async ({ content, encoding = 'utf-8', ...call }) =>
      files.write(encodeText(content, encoding), call),
    stat: (call) => files.stat(call),
    listDirectory: (call) => files.list(call),
    deleteFile: (call) => files.delete(call),
  }
}

/** Session methods that return a whole file, or some of its lines, through the streaming method. */
function wholeFiles(
  readFile: SandboxSession['readFile'],
): Pick<SandboxSession, 'readBinaryFile' | 'readTextFile'> {
  return {
    async readBinaryFile(call) {
      const content = await readFile(call)
      if (content === null) return null
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of piecesOf(content)) {
        length += chunk.length
        if (length > mostAtOnce) throw tooLarge(call.path)
        chunks.push(chunk)
      }
      return new Uint8Array(Buffer.concat(chunks))
    },
    async readTextFile({ encoding = 'utf-8', startLine, endLine, ...call }) {
      const decoder = decoderOf(encoding)
      const selection = new LineSelection({ startLine, endLine })
      const content = await readFile(call)
      if (content === null) return null
      for await (const chunk of piecesOf(content)) {
        selection.push(decoder.decode(chunk, { stream: true }))
        if (selection.length > mostAtOnce) throw tooLarge(call.path)
        // Leaving the loop ends the read after the last line.
        if (selection.isComplete) break
      }
      return selection.end(decoder.decode())
    },
  }
}

/** A stream of Node is iterable, and leaving the loop cancels it. */
function piecesOf(content: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return content as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
}

function tooLarge(path: string): Error {
  const why = `it is more than ${mostAtOnce} bytes at once. Read fewer lines, or use \`readFile\`, which returns a stream.`
  return fileFailed('Reading', path, why)
}
