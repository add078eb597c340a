import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { MessageLines } from '../../src/mcp/message-lines.ts'

/** What comes through of some chunks, and the ids of what was too long. */
async function passed(chunks: Iterable<string | Buffer>, maxBytes: number) {
  const tooLong: unknown[] = []
  const lines = new MessageLines({ maxBytes, onTooLong: (id) => tooLong.push(id) })
  let text = ''
  lines.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  for (const chunk of chunks) if (!lines.write(chunk)) await once(lines, 'drain')
  lines.end()
  await once(lines, 'close')
  return { text, tooLong }
}

const x = (length: number) => 'x'.repeat(length)
const requestWithIdFirst = (id: unknown, length: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params: { text: x(length) } })
const requestWithIdLast = (id: unknown, length: number) =>
  JSON.stringify({ method: 'm', params: { id: 0, text: x(length) }, jsonrpc: '2.0', id })

describe('lines of messages', () => {
  it.each([1, 2, 7, 1_000])('pass as they are in chunks of %i bytes, up to the limit', async (size) => {
    const given = `${x(100)}\n{"a":"é"}\r\n\n${x(101)}\n${x(99)}\n${x(5_000)}\nend\n${x(3)}`
    const chunks = given.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(await passed(chunks, 100)).toEqual({
      text: `${x(100)}\n{"a":"é"}\r\n\n${x(99)}\nend\n`,
      tooLong: [undefined, undefined],
    })
  })

  it('that are too long are reported with their id', ({ everyRow }) =>
    everyRow<[what: string, line: string, id: unknown]>(
      [
        ['a number at the begin', requestWithIdFirst(7, 5_000), 7],
        ['a number at the end', requestWithIdLast(7, 5_000), 7],
        ['a text', requestWithIdLast('a-7', 5_000), 'a-7'],
        ['spaces around it', `{ "jsonrpc" : "2.0", "id" : 7, "method" : "m", "params": ["${x(5_000)}"]}`, 7],
        [
          'spaces at the end',
          `{"method":"m","params":["${x(5_000)}"] , "jsonrpc" : "2.0" , "id" : 7 } \r`,
          7,
        ],
        [
          'none, of a notification',
          JSON.stringify({ jsonrpc: '2.0', method: 'm', params: x(5_000) }),
          undefined,
        ],
        ['that of an answer', JSON.stringify({ jsonrpc: '2.0', id: 7, result: x(5_000) }), undefined],
        [
          'that of an answer at the end',
          JSON.stringify({ result: x(5_000), jsonrpc: '2.0', id: 7 }),
          undefined,
        ],
        ['one inside of a value', `{"method":"m","params":{"text":"${x(5_000)}","id":7}}`, undefined],
        ['one inside of a text', JSON.stringify({ method: 'm', params: `${x(5_000)},"id":7` }), undefined],
        ['no JSON', x(5_000), undefined],
        ['a control character', `{"id":"\u0001","method":"m","params":"${x(5_000)}"}`, undefined],
        ['a number that is none', `{"id":007,"method":"m","params":"${x(5_000)}","id":-00}`, undefined],
      ],
      async (_, line, id) => {
        expect(await passed([`${line}\n`, 'next\n'], 1_000)).toEqual({ text: 'next\n', tooLong: [id] })
      },
    ))

  it('that are too long are held nowhere', async () => {
    // Always the same memory, so that none is left to be collected.
    const chunk = Buffer.alloc(2 ** 20, 'x')
    const before = process.memoryUsage().arrayBuffers
    let peak = 0
    function* endless() {
      for (let sent = 0; sent < 200; sent++) {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
        yield chunk
      }
      yield '\nnext\n'
    }
    expect(await passed(endless(), 2 ** 20)).toEqual({ text: 'next\n', tooLong: [undefined] })
    expect(peak).toBeLessThan(50 * 2 ** 20)
  })
})
