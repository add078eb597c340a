import { describe, expect, test } from 'vitest'
import { OutputStream } from './output-stream.ts'

const megabyte = new Uint8Array(2 ** 20)

/** Whether a write has resolved after what could resolve it. */
async function isDone(write: Promise<void>): Promise<boolean> {
  let done = false
  void write.then(() => {
    done = true
  })
  for (let turn = 0; turn < 20; turn++) await undefined
  return done
}

describe('a write', () => {
  test('waits from the first megabyte on until the stream is read', async () => {
    const stream = new OutputStream()
    expect(await isDone(stream.write(megabyte.subarray(1)))).toBe(true)
    const write = stream.write(megabyte.subarray(0, 1))
    expect(await isDone(write)).toBe(false)
    await stream.readable.getReader().read()
    await write
  })

  test.each([
    ['the reader has left', (stream: OutputStream) => stream.readable.cancel()],
    ['nothing waits for the reader anymore', async (stream: OutputStream) => stream.release()],
  ])('waits no longer when %s', async (_, happens) => {
    const stream = new OutputStream()
    const write = stream.write(megabyte)
    expect(await isDone(write)).toBe(false)
    await happens(stream)
    await write
    await stream.write(megabyte)
  })
})

test('all bytes come before the end, and before an error', async () => {
  const ended = new OutputStream()
  await ended.write(Uint8Array.of(1))
  await ended.write(Uint8Array.of())
  await ended.write(Uint8Array.of(2, 3))
  ended.end()
  await ended.write(Uint8Array.of(4))
  const chunks: number[][] = []
  for await (const chunk of ended.readable) chunks.push([...chunk])
  expect(chunks).toEqual([[1], [2, 3]])
  const failed = new OutputStream()
  failed.fail(new Error('lost'))
  await failed.write(Uint8Array.of(1))
  await expect(failed.readable.getReader().read()).rejects.toThrow('lost')
})
