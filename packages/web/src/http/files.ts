import type { FileHandle } from 'node:fs/promises'
import { FileRefusedError, type HostWorkDirectory } from '@fenced/core/driver'
import { firstBytes } from '@fenced/shared'
import type { FileEntry } from '../event.ts'
import { Problem } from '../problem.ts'

const mostFiles = 1_000

/** What a browser shows and does not run: pictures, but for an SVG, and text. */
const shownTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ...Object.fromEntries(
    ['csv', 'json', 'log', 'md', 'py', 'tsv', 'txt'].map((name) => [name, 'text/plain; charset=utf-8']),
  ),
}

export async function listedFiles(directory: HostWorkDirectory): Promise<readonly FileEntry[]> {
  return [...(await directory.listFirst())]
    .slice(0, mostFiles)
    .map(([path, { sizeBytes }]) => ({ path, sizeBytes }))
}

/**
 * A file of a working directory. A program has written it, so that a browser may not take it for a page of this server: it is
 * saved, or shown where it is a picture or text, without any right of this origin. Its connection is closed after the response, so
 * no byte of a file is in front of another response.
 */
export async function fileResponse(
  directory: HostWorkDirectory,
  path: string,
  { shown, isHead }: { readonly shown: boolean; readonly isHead: boolean },
): Promise<Response> {
  const file = await refused(() => directory.openFile(path))
  if (file === undefined) throw new Problem(404, 'There is no such file.')
  const { size } = await file.stat()
  const type = shown ? shownTypes[path.split('.').at(-1)?.toLowerCase() ?? ''] : undefined
  const name = path.split('/').at(-1) ?? 'file'
  if (isHead) await file.close()
  return new Response(isHead ? null : contentOf(file, size), {
    headers: {
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Length': `${size}`,
      'Content-Disposition': `${type === undefined ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Cache-Control': 'no-store',
      Connection: 'close',
    },
  })
}

/** Exactly `size` bytes of a file, which is closed afterwards. A shorter file is an error, which ends the connection. */
function contentOf(file: FileHandle, size: number): ReadableStream<Uint8Array> {
  const chunks = firstBytes(file, size)
  let missing = size
  return new ReadableStream({
    async pull(controller) {
      const { value, done = false } = await chunks.next().catch(async (cause: unknown) => {
        await file.close()
        throw new Error('The file could not be read.', { cause })
      })
      if (!done) {
        missing -= value.length
        return controller.enqueue(value)
      }
      await file.close()
      if (missing > 0) throw new Error(`The file lost ${missing} bytes while it was sent.`)
      controller.close()
    },
    cancel: () => file.close(),
  })
}

/** Writes a file as a whole, or not at all. @returns its size in bytes. */
export async function receiveFile(
  directory: HostWorkDirectory,
  path: string,
  { body, maxBytes }: { readonly body: ReadableStream<Uint8Array> | null; readonly maxBytes: number },
): Promise<number> {
  let sizeBytes = 0
  async function* counted() {
    for await (const chunk of body ?? []) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new Problem(413, `A file is ${maxBytes / 2 ** 20} MiB at most.`)
      yield chunk
    }
  }
  await refused(() => directory.write(path, counted()))
  return sizeBytes
}

async function refused<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (FileRefusedError.isInstance(error)) throw new Problem(400, error.message)
    throw error
  }
}
