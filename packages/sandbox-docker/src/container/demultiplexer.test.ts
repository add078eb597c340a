import { describe, expect, it } from 'vitest'
import { Demultiplexer } from './demultiplexer.ts'

function frame(stream: number, text: string): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

/** What came out, in order, as `1:text` and `2:text`, neighbours of one stream joined. */
function demultiplexed(chunks: Iterable<Buffer>): string[] {
  const seen: [string, string][] = []
  const demultiplexer = new Demultiplexer((stream, chunk) => {
    const last = seen.at(-1)
    const text = Buffer.from(chunk).toString()
    if (last?.[0] === stream) last[1] += text
    else seen.push([stream, text])
  })
  for (const chunk of chunks) demultiplexer.push(Buffer.from(chunk))
  return seen.map(([stream, text]) => `${stream}:${text}`)
}

const conversation = Buffer.concat([
  frame(1, 'out'),
  frame(2, 'err'),
  frame(1, ''),
  frame(1, 'a'),
  frame(1, 'b'),
  frame(2, ''),
  frame(2, 'c'),
  frame(1, 'd'.repeat(300)),
])
const heard = ['stdout:out', 'stderr:err', 'stdout:ab', 'stderr:c', `stdout:${'d'.repeat(300)}`]

describe('Demultiplexer', () => {
  it('keeps the order of both streams', () => {
    expect(demultiplexed([conversation])).toEqual(heard)
  })

  it('takes frames that are cut anywhere', () => {
    for (let size = 1; size < 40; size++) {
      const chunks: Buffer[] = []
      for (let at = 0; at < conversation.length; at += size) chunks.push(conversation.subarray(at, at + size))
      expect(demultiplexed(chunks), `chunks of ${size}`).toEqual(heard)
    }
  })

  it('joins neighbouring frames: a million one-byte frames are a few pieces', () => {
    const count = 1_000_000
    const frames = Buffer.alloc(count * 9)
    for (let at = 0; at < frames.length; at += 9) {
      frames[at] = 1
      frames[at + 7] = 1
      frames[at + 8] = 0x61 + (at % 26)
    }
    let bytes = 0
    let pieces = 0
    const demultiplexer = new Demultiplexer((_, chunk) => {
      bytes += chunk.length
      pieces++
    })
    for (let at = 0; at < frames.length; at += 65_536) demultiplexer.push(frames.subarray(at, at + 65_536))
    expect({ bytes, few: pieces < 200 }).toEqual({ bytes: count, few: true })
  })

  it('keeps every byte of frames that it joins', () => {
    const letters = Array.from('The quick brown fox', (letter) => frame(1, letter))
    expect(demultiplexed([Buffer.concat(letters)])).toEqual(['stdout:The quick brown fox'])
  })

  it('hears the engine’s own words as stderr', () => {
    expect(demultiplexed([frame(3, 'error from daemon')])).toEqual(['stderr:error from daemon'])
  })

  it.each(['HTTP/1.1 400 Bad', '\u0001\u0001\0\0\0\0\0\u0001x'])('refuses what is no frame: %j', (text) => {
    expect(() => demultiplexed([Buffer.from(text)])).toThrow('something else than frames')
  })
})
