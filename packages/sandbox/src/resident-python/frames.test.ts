import { describe, expect, it, test } from 'vitest'
import { encodeFrame, FrameReader } from './frames.ts'

const stream = Buffer.concat([
  encodeFrame('h', ['3.11.7']),
  encodeFrame('o', ['out\0 é']),
  encodeFrame('o', ['']),
  encodeFrame('e', ['err']),
  encodeFrame('n', ['2', 'No such file or directory']),
  encodeFrame('s', []),
  encodeFrame('x', ['-9']),
])

/** What comes out, with the parts of what flows put together again. */
function read(chunks: readonly Uint8Array[]) {
  const flowed: Record<string, string> = {}
  const wholes: [string, string[]][] = []
  const reader = new FrameReader({
    flowing: 'oe',
    flow: (kind, chunk) => {
      flowed[kind] = (flowed[kind] ?? '') + Buffer.from(chunk).toString('latin1')
    },
    whole: (kind, body) => wholes.push([kind, FrameReader.partsOf(body)]),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { flowed, wholes }
}

const all = {
  flowed: { o: Buffer.from('out\0 é').toString('latin1'), e: 'err' },
  wholes: [
    ['h', ['3.11.7']],
    ['n', ['2', 'No such file or directory']],
    ['s', ['']],
    ['x', ['-9']],
  ],
}

describe('frames', () => {
  it('come out as they went in', () => expect(read([stream])).toEqual(all))

  test('come out wherever they are cut', ({ everyRow }) =>
    everyRow(
      Array.from(stream, (_, index) => index),
      (index) => {
        expect(read([stream.subarray(0, index), stream.subarray(index)])).toEqual(all)
      },
    ))

  it('come out byte by byte', () =>
    expect(read(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(all))

  it('of a program are passed on before they are whole', () => {
    const frame = encodeFrame('o', ['a long text'])
    expect(read([frame.subarray(0, 9)]).flowed).toEqual({ o: 'a lo' })
  })

  it('do not keep the chunk that they came in', () => {
    const chunk = Buffer.from(encodeFrame('x', ['42']))
    const wholes: string[][] = []
    const reader = new FrameReader({
      flowing: '',
      flow: () => {},
      whole: (_, body) => wholes.push(FrameReader.partsOf(body)),
    })
    const half = chunk.subarray(0, 6)
    reader.push(half)
    half.fill(0)
    reader.push(chunk.subarray(6))
    expect(wholes).toEqual([['42']])
  })

  it.each([
    ['a letter that is none', Buffer.from('\u0001\0\0\0\0', 'latin1')],
    ['a frame that no runner sends', Buffer.from('x\u00ff\u00ff\0\0', 'latin1')],
    ['text', Buffer.from('Traceback (most recent call last)')],
  ])('are told from %s', (_, chunk) => {
    expect(() => read([chunk])).toThrow('not a frame')
  })
})
