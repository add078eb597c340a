import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from './redactor.ts'

function redactInChunks(secrets: readonly string[], chunks: readonly string[]): string {
  const redactor = new Redactor(secrets)
  return chunks.map((chunk) => redactor.push(chunk)).join('') + redactor.end()
}

/** Characters that the mask does not have, so that a secret found in the output is a leak. Few, so that they meet. */
const unit = fc.constantFrom('x', 'y', 'z', '\n', '.', '*', '(', '|', '\\', '-', '^', '$', '😀')
const secrets = fc.array(fc.string({ unit, minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })

/** Text made of pieces of the secrets themselves, so that near misses and overlaps are common. */
const secretsAndChunks = secrets.chain((values) => {
  const piece = fc
    .constantFrom(...values)
    .chain((value) =>
      fc
        .tuple(fc.nat(value.length), fc.nat(value.length))
        .map(([from, to]) => wellFormed(value.slice(from, to))),
    )
  const chunk = fc.array(fc.oneof(piece, unit, fc.constantFrom(...values)), { maxLength: 5 })
  return fc.tuple(
    fc.constant(values),
    fc.array(
      chunk.map((parts) => parts.join('')),
      { maxLength: 8 },
    ),
  )
})
const wellFormed = (text: string) => (text.isWellFormed() ? text : '')

test('a part of a secret is replaced where a text was shortened, and nowhere else', () => {
  const redactor = new Redactor(['hunter2-secret'])
  expect(redactor.redact('key=hunter2-s…')).toBe('key=[redacted]…')
  expect(redactor.redact('…r2-secret and hunt')).toBe('…[redacted] and hunt')
  expect(redactor.redact('hunt…cret hun…ret …')).toBe('[redacted]…[redacted] hun…ret …')
  expect(redactor.redact('hunter2-secret…')).toBe('[redacted]…')
})

describe('a stream', () => {
  test('says what the whole text would say, wherever it was cut', () => {
    fc.assert(
      fc.property(secretsAndChunks, ([values, chunks]) => {
        expect(redactInChunks(values, chunks)).toBe(new Redactor(values).redact(chunks.join('')))
      }),
      { numRuns: 2_000 },
    )
  })

  test('never says a secret', () => {
    fc.assert(
      fc.property(secretsAndChunks, ([values, chunks]) => {
        const said = redactInChunks(values, chunks)
        for (const value of values) expect(said).not.toContain(value)
      }),
      { numRuns: 2_000 },
    )
  })

  test('cut into single characters says the same', () => {
    fc.assert(
      fc.property(secretsAndChunks, ([values, chunks]) => {
        const whole = chunks.join('')
        expect(redactInChunks(values, [...whole])).toBe(redactInChunks(values, [whole]))
      }),
    )
  })

  test('goes through unchanged, and at once, when it has nothing to do with a secret', () => {
    const redactor = new Redactor(['secret'])
    expect(redactor.push('nothing to ')).toBe('nothing to ')
    expect(redactor.push('hide')).toBe('hide')
  })

  test('is held back only from where a secret may have begun', () => {
    const redactor = new Redactor(['secret'])
    expect(redactor.push('the sec')).toBe('the ')
    expect(redactor.push('tor')).toBe('sector')
  })
})

test('replaces secrets, wherever the text is cut', ({ everyRow }) =>
  everyRow<[what: string, secrets: string[], chunks: string[], said: string]>(
    [
      ['in one chunk', ['s3'], ['a s3 b'], 'a [redacted] b'],
      ['cut by a border', ['hunter2'], ['pass hun', 'ter2!'], 'pass [redacted]!'],
      ['twice in a row', ['ab'], ['abab'], '[redacted][redacted]'],
      ['the longer of two that begin alike', ['abc', 'abcdef'], ['abcd', 'ef'], '[redacted]'],
      ['the shorter of two that begin alike', ['abc', 'abcdef'], ['abcd', 'e!'], '[redacted]de!'],
      ['the shorter, when the stream ends', ['abc', 'abcdef'], ['abcde'], '[redacted]de'],
      ['one within another', ['xbcx', 'bc'], ['xbc', 'y'], 'x[redacted]y'],
      ['two that overlap', ['xab', 'abc'], ['xa', 'bc'], '[redacted]'],
      ['a repeated character', ['aaa'], ['aa', 'aa', 'aa'], '[redacted]'],
      ['a false start of repeated characters', ['aab'], ['aaa', 'b'], 'a[redacted]'],
      [
        'characters with a meaning in a pattern',
        ['a.b*c', '[x]', '$1', '\\d'],
        ['a.b*c [x] $1 \\d aXbc 1'],
        '[redacted] [redacted] [redacted] [redacted] aXbc 1',
      ],
      ['more than one line', ['-----\nkey\n-----'], ['-----\n', 'key', '\n-----\n'], '[redacted]\n'],
      ['a surrogate pair', ['😀'], ['a😀b'], 'a[redacted]b'],
      ['the same value twice', ['s', 's'], ['s'], '[redacted]'],
    ],
    (_, values, chunks, said) => {
      expect(redactInChunks(values, chunks)).toBe(said)
    },
  ))

describe('cost: bounded as a hang is', { tags: 'all' }, () => {
  const chunk = 65_536
  const hexDigits = (length: number) => createHash('shake256', { outputLength: length / 2 }).digest('hex')
  const longSecret = hexDigits(2 ** 20)

  test.each<[what: string, secrets: string[], chunks: string[]]>([
    [
      'a secret of a megabyte, in small chunks, but for its last character',
      [longSecret],
      [...(`${longSecret.slice(0, -1)}!`.match(/.{1,4096}/g) ?? [])],
    ],
    [
      'a thousand secrets of some kilobytes',
      Array.from({ length: 1000 }, (_, n) => `${n}${hexDigits(3000)}`),
      Array<string>(4).fill(hexDigits(chunk)),
    ],
    [
      'a short secret over and over beside a long one',
      ['x', 'y'.repeat(4096)],
      Array<string>(8).fill('x'.repeat(chunk)),
    ],
    [
      'a secret that nearly repeats itself',
      [`${'a'.repeat(4096)}b`],
      Array<string>(8).fill('a'.repeat(chunk)),
    ],
    ['a million single characters', ['secret'], Array<string>(1_000_000).fill('s')],
  ])(
    '%s',
    (_, values, chunks) => {
      const said = redactInChunks(values, chunks)
      expect(values.filter((value) => said.replaceAll('[redacted]', '').includes(value))).toEqual([])
    },
    20_000,
  )
})

describe('values that overlap', () => {
  test.each([
    [['aXY', 'XYtail'], 'aXYtail!'],
    [['abc', 'bcd', 'cde'], '>abcde<'],
    [['aa'], 'aaaaaaa'],
    [['abab', 'ba'], 'xababax'],
  ])('%j are replaced whole, wherever the text is cut', (secrets, text) => {
    const whole = new Redactor(secrets).redact(text)
    for (const secret of secrets) expect(whole).not.toContain(secret)
    expect(whole.replaceAll('[redacted]', '')).toMatch(/^[>x]?[!<x]?$/)
    for (let cut = 0; cut <= text.length; cut++) {
      const redactor = new Redactor(secrets)
      expect(redactor.push(text.slice(0, cut)) + redactor.push(text.slice(cut)) + redactor.end()).toBe(whole)
    }
    const redactor = new Redactor(secrets)
    expect([...text].map((character) => redactor.push(character)).join('') + redactor.end()).toBe(whole)
  })
})
