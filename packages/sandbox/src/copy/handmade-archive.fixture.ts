import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { pack } from 'tar-stream'
import type { TarHeader } from './archive-entry.ts'

export type HandmadeEntry = Partial<TarHeader> & { readonly content?: string | Buffer }

/** An archive as no engine would make it. The first entry of a good one is the directory itself. */
export async function archiveOf(entries: readonly HandmadeEntry[]): Promise<Buffer> {
  const archive = pack()
  for (const { content, ...header } of entries) {
    const type = header.type ?? 'file'
    archive.entry({ uid: 1000, gid: 1000, mode: 0o755, name: '', ...header, type }, content ?? '')
  }
  archive.finalize()
  return buffer(archive as unknown as AsyncIterable<Buffer>)
}

export const ownEntry: HandmadeEntry = { name: 'workspace/', type: 'directory' }

/** A backend that answers with one archive, whatever it is asked for. */
export function backendWith(answer: Buffer | (() => Readable)): SandboxBackend {
  const get = async () => (typeof answer === 'function' ? answer() : Readable.from(inChunks(answer)))
  return { get } as unknown as SandboxBackend
}

function* inChunks(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 700) yield bytes.subarray(start, start + 700)
}
