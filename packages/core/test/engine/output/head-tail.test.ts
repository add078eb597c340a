import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HeadTail } from '../../../src/engine/output/head-tail.ts'

const marker = /\n\[\.\.\. (\d+) bytes of output left out \.\.\.\]\n/
const byteLength = (text: string) => Buffer.byteLength(text)

/** Of one to four bytes each, and never the marker's own characters. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '€', '😀'), maxLength: 200 })
const limit = fc.integer({ min: 2, max: 120 })

function keep(chunks: readonly (string | Uint8Array)[], maxBytes: number) {
  const kept = new HeadTail(maxBytes)
  for (const chunk of chunks) kept.push(Buffer.from(chunk))
  const { text: whole, droppedBytes } = kept.summary()
  const [head = '', said = '0', tail = ''] = whole.split(marker)
  return { whole, head, tail, said: Number(said), droppedBytes, overflowed: kept.overflowed }
}

/** The same bytes in pieces that do not care where a character ends. */
const anyChunks = fc.array(text, { maxLength: 8 }).chain((texts) => {
  const bytes = Buffer.from(texts.join(''))
  const cuts = fc
    .array(fc.nat(bytes.length), { maxLength: 8 })
    .map((at) => [0, ...at.sort((a, b) => a - b), bytes.length])
  return cuts.map((at) => at.slice(1).map((to, index) => bytes.subarray(at[index], to)))
})

describe('what is kept', () => {
  test('is the whole text when it fits, however it came', () => {
    fc.assert(
      fc.property(anyChunks, (chunks) => {
        const whole = Buffer.concat(chunks)
        const { whole: kept, droppedBytes, overflowed } = keep(chunks, Math.max(2, whole.length))
        expect({ kept, droppedBytes, overflowed }).toEqual({
          kept: whole.toString(),
          droppedBytes: 0,
          overflowed: false,
        })
      }),
    )
  })

  test('is a beginning and an end within the limit, and the rest is counted to the byte', () => {
    fc.assert(
      fc.property(anyChunks, limit, (chunks, maxBytes) => {
        const whole = Buffer.concat(chunks).toString()
        const { head, tail, said, droppedBytes, overflowed } = keep(chunks, maxBytes)
        expect(byteLength(head) + byteLength(tail)).toBeLessThanOrEqual(maxBytes)
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        expect(said).toBe(byteLength(whole) - byteLength(head) - byteLength(tail))
        expect(droppedBytes).toBe(said)
        expect(overflowed).toBe(byteLength(whole) > maxBytes)
      }),
    )
  })

  test('is nearly all that the limit allows: at most a part of one character is lost at each border', () => {
    fc.assert(
      fc.property(anyChunks, limit, (chunks, maxBytes) => {
        const { head, tail, overflowed } = keep(chunks, maxBytes)
        if (overflowed) expect(byteLength(head) + byteLength(tail)).toBeGreaterThanOrEqual(maxBytes - 6)
      }),
    )
  })

  test('does not depend on how the stream was cut into chunks', () => {
    fc.assert(
      fc.property(anyChunks, limit, (chunks, maxBytes) => {
        expect(keep(chunks, maxBytes)).toEqual(keep([Buffer.concat(chunks)], maxBytes))
      }),
    )
  })

  test('holds no character that was cut in two', () => {
    fc.assert(
      fc.property(anyChunks, limit, (chunks, maxBytes) => {
        expect(keep(chunks, maxBytes).whole).not.toContain('\uFFFD')
      }),
    )
  })

  test('may be bytes that are no UTF-8, counted as they came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }),
        limit,
        (chunks, maxBytes) => {
          const { droppedBytes, whole } = keep(chunks, maxBytes)
          const total = Buffer.concat(chunks).length
          expect(droppedBytes).toBeGreaterThanOrEqual(Math.max(0, total - maxBytes))
          expect(droppedBytes).toBeLessThanOrEqual(Math.max(0, total - maxBytes + 6))
          expect(whole.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})

test('its end is the end of what it keeps, in whole characters', () => {
  const property = fc.property(
    fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 30 }),
    fc.integer({ min: 2, max: 200 }),
    fc.integer({ min: 0, max: 300 }),
    (pieces, limit, maxBytes) => {
      const kept = new HeadTail(limit)
      for (const piece of pieces) kept.push(Buffer.from(piece))
      const all = pieces.join('')
      const end = kept.end(maxBytes)
      expect(all.endsWith(end)).toBe(true)
      const length = Buffer.byteLength(end)
      expect(length).toBeLessThanOrEqual(maxBytes)
      const inReach = kept.overflowed ? Math.floor(limit / 2) : Buffer.byteLength(all)
      // Of a character that is cut at the beginning at most three bytes are left out.
      expect(length).toBeGreaterThanOrEqual(Math.min(maxBytes, inReach) - 3)
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('it is decoded once for each time that something was added', () => {
  const kept = new HeadTail(100)
  kept.push(Buffer.from('a'))
  expect(kept.summary()).toBe(kept.summary())
  kept.push(Buffer.from('b'))
  expect(kept.summary().text).toBe('ab')
})

test('it can be asked at any moment and goes on', () => {
  const kept = new HeadTail(4)
  kept.push(Buffer.from('abcdef'))
  expect(kept.summary()).toEqual({ text: 'ab\n[... 2 bytes of output left out ...]\nef', droppedBytes: 2 })
  kept.push(Buffer.from('gh'))
  expect(kept.summary()).toEqual({ text: 'ab\n[... 4 bytes of output left out ...]\ngh', droppedBytes: 4 })
})

test('the chunk is copied: its memory may be used again', () => {
  const kept = new HeadTail(4)
  const chunk = Buffer.from('a')
  for (const letter of 'abcdef') {
    chunk.write(letter)
    kept.push(chunk)
  }
  expect(kept.summary().text).toMatch(/^ab\n.*\nef$/)
})

describe('memory', () => {
  const megabyte = 1024 * 1024
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers

  test('a million pushes of one byte keep little more than the limit', () => {
    const kept = new HeadTail(megabyte / 4)
    const before = memory()
    const bytes = [Buffer.from('a'), Buffer.from('b')] as const
    for (let count = 0; count < 1_000_000; count++) kept.push(bytes[count % 2 === 0 ? 0 : 1])
    expect(memory() - before).toBeLessThan(16 * megabyte)
    expect(kept.summary().droppedBytes).toBe(1_000_000 - megabyte / 4)
  })

  test('nothing is set aside for what was not written', () => {
    const before = memory()
    const many = Array.from({ length: 100 }, () => new HeadTail(2 ** 30))
    for (const kept of many) kept.push(Buffer.from('a line'))
    expect(memory() - before).toBeLessThan(16 * megabyte)
  })
})
