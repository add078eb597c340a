import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { expect, test } from 'vitest'
import { getArchive } from './get-archive.ts'
import { archiveOf, backendWith, ownEntry } from './handmade-archive.fixture.ts'

const signal = new AbortController().signal
const entries = [
  ownEntry,
  { name: 'workspace/a', content: 'one' },
  { name: 'workspace/b', content: 'x'.repeat(2_000) },
]

async function read(backend: SandboxBackend, given = signal): Promise<string[]> {
  const contents = []
  for await (const entry of getArchive({ backend, signal: given }, '/workspace'))
    contents.push(await text(entry))
  return contents
}

test('gives every entry with its content', async () => {
  expect(await read(backendWith(await archiveOf(entries)))).toEqual(['', 'one', 'x'.repeat(2_000)])
})

test('goes over what nobody reads', async () => {
  const names = []
  const backend = backendWith(await archiveOf(entries))
  for await (const { header } of getArchive({ backend, signal }, '')) names.push(header.name)
  expect(names).toEqual(entries.map(({ name }) => name))
})

test('an archive that ends before its end fails, wherever that is', async () => {
  const archive = await archiveOf(entries)
  // Every block is one of 512 bytes; the last two say that it is the end.
  for (let end = 0; end < archive.length; end += 256) {
    await expect(read(backendWith(archive.subarray(0, end)))).rejects.toThrow()
  }
})

test('what is no archive fails', async () => {
  await expect(read(backendWith(Buffer.alloc(3_000, 'x')))).rejects.toMatchObject({
    code: 'ENGINE_LOST',
    data: { reason: expect.stringContaining('tar') },
  })
})

test('an answer that breaks off fails with its error', async () => {
  const archive = await archiveOf(entries)
  const cut = () =>
    Readable.from(
      (function* () {
        yield archive.subarray(0, 2_000)
        throw new Error('cut')
      })(),
    )
  await expect(read(backendWith(cut))).rejects.toMatchObject({ code: 'ENGINE_LOST', data: { reason: 'cut' } })
})

test('the answer is closed when the reader has enough, and when the signal comes', async () => {
  let wantsMore = Promise.withResolvers<void>()
  const endless = () => {
    // Asked for more than its first blocks, it has no more.
    const answer = new Readable({ read: () => wantsMore.resolve() })
    answer.push(firstBlocks)
    return answer
  }
  const firstBlocks = (await archiveOf(entries)).subarray(0, 2_000)
  const answers: Readable[] = []
  const backend = backendWith(() => {
    answers.push(endless())
    return answers.at(-1) as Readable
  })
  for await (const _ of getArchive({ backend, signal }, '')) break
  const stop = new AbortController()
  wantsMore = Promise.withResolvers()
  const reading = read(backend, stop.signal)
  await wantsMore.promise
  stop.abort()
  await expect(reading).rejects.toThrow(/abort/)
  expect(answers.map(({ destroyed }) => destroyed)).toEqual([true, true])
})
