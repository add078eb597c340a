import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { archivesOf } from '@fenced/core/sandbox'
import type { Pack } from 'tar-stream'
import type { TarHeader } from './archive-entry.ts'
import type { CopyTarget, FileOwner } from './sides.ts'

/** The target state of an entry in the sandbox. */
export interface EntryToPut {
  readonly name: string
  readonly mode: number
  readonly modifiedSeconds: number
}

type HeaderToPut = Pick<TarHeader, 'name'> & Partial<TarHeader>

/** Sends one archive into the directory, while it is being filled. */
export async function putArchive(
  { backend, path, owner, signal }: CopyTarget,
  fill: (archive: ArchiveToPut) => Promise<void>,
): Promise<void> {
  const { pack } = await import('tar-stream')
  const stream = pack()
  // An error reaches us by both promises below.
  stream.on('error', () => {})
  const answer = archivesOf(backend).put(path, stream as unknown as Readable, { signal })
  // An engine that refuses does not read on, and the filling would wait for ever.
  answer.catch((error) => stream.destroy(error))
  const filling = fill(new ArchiveToPut(stream, owner)).then(() => stream.finalize())
  // The request fails with it.
  filling.catch((error) => stream.destroy(error))
  const [answered, filled] = await Promise.allSettled([answer, filling])
  if (answered.status === 'rejected') throw answered.reason
  if (filled.status === 'rejected') throw filled.reason
}

/** An archive on its way into the sandbox. */
export class ArchiveToPut {
  readonly #stream: Pack
  readonly #owner: FileOwner

  constructor(stream: Pack, owner: FileOwner) {
    this.#stream = stream
    this.#owner = owner
  }

  async addDirectory(entry: EntryToPut): Promise<void> {
    await this.#add({ ...this.#header(entry), type: 'directory' }, [])
  }

  /** @param content - exactly `size` bytes. */
  async addFile(entry: EntryToPut, size: number, content: AsyncIterable<Buffer>): Promise<void> {
    await this.#add({ ...this.#header(entry), type: 'file', size }, content)
  }

  async #add(header: HeaderToPut, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const { promise: added, resolve, reject } = Promise.withResolvers<void>()
    const sink = this.#stream.entry(header, (error) => (error ? reject(error) : resolve()))
    // The promise rejects with it, and is awaited below.
    sink.on('error', () => {})
    added.catch(() => {})
    for await (const chunk of content) {
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), added])
    }
    sink.end(undefined)
    await added
  }

  #header({ name, mode, modifiedSeconds }: EntryToPut): HeaderToPut {
    const { uid, gid } = this.#owner
    const header = { name, mode, uid, gid, mtime: new Date(modifiedSeconds * 1000) }
    // tar-stream cuts a greater id down to the largest that fits the old header.
    return Math.max(uid, gid) <= 0o777_777 ? header : { ...header, pax: { uid: `${uid}`, gid: `${gid}` } }
  }
}
