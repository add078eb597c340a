import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import type { TarHeader } from './archive-entry.ts'
import { type ArchiveToPut, putArchive } from './put-archive.ts'

type Receive = (archive: Readable) => Promise<unknown>

async function put(
  fill: (archive: ArchiveToPut) => Promise<void>,
  receive: Receive,
  uid = 1000,
): Promise<void> {
  const toReceive = { put: (_: string, archive: Readable) => receive(archive) }
  const backend = toReceive as unknown as SandboxBackend
  const signal = new AbortController().signal
  await putArchive({ backend, path: '/workspace', owner: { uid, gid: uid }, signal }, fill)
}

const attributes = { mode: 0o640, modifiedSeconds: 7 }
const content = (size: number) => Readable.from([Buffer.alloc(size, 'x')])

test('what was added arrives, whoever it belongs to', async () => {
  for (const uid of [0, 1000, 262_143, 262_144, 2_000_000_000]) {
    let received = Buffer.alloc(0)
    await put(
      async (archive) => {
        await archive.addDirectory({ name: 'sub', ...attributes })
        await archive.addFile({ name: `sub/${'é'.repeat(200)}`, ...attributes }, 600, content(600))
        await archive.addFile({ name: 'empty', ...attributes }, 0, content(0))
      },
      async (stream) => {
        received = await buffer(stream)
      },
      uid,
    )
    const headers = []
    for await (const entry of Readable.from([received]).pipe(extract() as never) as unknown as ReturnType<
      typeof extract
    >) {
      entry.resume()
      const { name, type, size, mode, pax, uid: own } = entry.header as TarHeader
      headers.push([name, type, size, mode, Number(pax?.uid ?? own)])
    }
    expect(headers).toEqual([
      ['sub', 'directory', 0, 0o640, uid],
      [`sub/${'é'.repeat(200)}`, 'file', 600, 0o640, uid],
      ['empty', 'file', 0, 0o640, uid],
    ])
  }
})

test('an engine that refuses before it has read all ends the filling', async () => {
  let chunks = 0
  const endless = (async function* () {
    for (;;) {
      chunks++
      yield Buffer.alloc(65_536)
    }
  })()
  const refused = put(
    (archive) => archive.addFile({ name: 'a', ...attributes }, 1e15, endless),
    async () => {
      throw new Error('no such container')
    },
  )
  await expect(refused).rejects.toThrow('no such container')
  expect(chunks).toBeLessThan(10)
})

test('a failure of the filling breaks the request off', async () => {
  const failing = (async function* () {
    yield Buffer.alloc(10)
    throw new Error('unreadable')
  })()
  // As docker-modem: an error of the body destroys the request.
  const receive: Receive = (stream) => new Promise((_, reject) => stream.resume().on('error', reject))
  const filled = put((archive) => archive.addFile({ name: 'a', ...attributes }, 100, failing), receive)
  await expect(filled).rejects.toThrow('unreadable')
})
