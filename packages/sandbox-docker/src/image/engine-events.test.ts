import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type EngineEvent, readEvents } from './engine-events.ts'

async function read(chunks: Iterable<Uint8Array>): Promise<EngineEvent[]> {
  const events: EngineEvent[] = []
  for await (const event of readEvents(Readable.from(chunks, { objectMode: false }))) events.push(event)
  return events
}

describe('readEvents', () => {
  it('does not care where the chunks are cut', async () => {
    const bytes = Buffer.from('{"status":"é"}\r\n\n{"status":"ü","id":"1"}\n{"error":"ß"}')
    const expected = [{ status: 'é' }, { status: 'ü', id: '1' }, { error: 'ß' }]
    for (const size of [1, 2, 3, 7, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(await read(chunks)).toEqual(expected)
    }
  })

  it('fails at a line without end', async () => {
    let pieces = 0
    const endless = (function* () {
      for (; pieces < 1_000; pieces++) yield Buffer.alloc(100_000, 'x')
    })()
    await expect(read(endless)).rejects.toThrow('more than 1048576 characters')
    expect(pieces).toBeLessThan(50)
  })

  it.each(['null', '"text"', '[]', '<html>'])('fails at a line that is not an event: %s', async (line) => {
    await expect(read([Buffer.from(`${line}\n`)])).rejects.toThrow('not an event')
  })

  it('leaves out fields of another type', async () => {
    const line = Buffer.from('{"status":"a","id":1,"progressDetail":null}')
    expect(await read([line])).toEqual([{ status: 'a' }])
  })

  it('fails with what the connection fails with', async () => {
    const broken = (function* () {
      yield Buffer.from('{"status":"a"}\n')
      throw new Error('cut')
    })()
    await expect(read(broken)).rejects.toThrow('cut')
  })
})
