import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HashedTexts } from './hashed-texts.ts'
import { MaskStream, masked as maskedBy } from './mask-stream.ts'
import { secretForms } from './secret-forms.ts'

async function through(chunks: readonly string[], texts: readonly string[]): Promise<string> {
  const stream = new MaskStream(new HashedTexts(texts))
  for (const chunk of chunks) stream.write(Buffer.from(chunk, 'latin1'))
  stream.end()
  return (await buffer(stream)).toString('latin1')
}

function masked(text: string, texts: readonly string[]): string {
  return maskedBy(text, new HashedTexts(texts))
}

/** Ways to write a character of ASCII, by how they write `/`. */
const escapes: Readonly<Record<string, (code: number, character: string) => string>> = {
  themselves: (_, character) => character,
  capitals: (_, character) => character.toUpperCase(),
  '\\u002f': (code) => `\\u${code.toString(16).padStart(4, '0')}`,
  '\\u002F': (code) => `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`,
  '\\x2F': (code) => `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`,
  '\\u{2f}': (code) => `\\u{${code.toString(16)}}`,
  '%2f': (code) => `%${code.toString(16).padStart(2, '0')}`,
  '%2F': (code) => `%${code.toString(16).padStart(2, '0').toUpperCase()}`,
  '&#47;': (code) => `&#${code};`,
  '&#00000047;': (code) => `&#${`${code}`.padStart(8, '0')};`,
  '&#47': (code) => `&#${code}`,
  '&#x2F;': (code) => `&#x${code.toString(16).toUpperCase()};`,
  '&#X0002f;': (code) => `&#X000${code.toString(16)};`,
  '&#x2f': (code) => `&#x${code.toString(16)}`,
}
/** A key as clouds make them, with every character that some library escapes. */
const key = `wJalr/K7MDENG+bPx=='"&<>\\%;:!()*~_-.,?@#$[]{}|^\`Kez`

it('masks a secret, however its characters are escaped', ({ everyRow }) =>
  everyRow(Object.entries(escapes), (_, write) => {
    for (const form of secretForms(key)) {
      const written = [...form].map((character) => write(character.charCodeAt(0), character)).join('')
      expect(masked(`a ${written} z`, secretForms(key))).toBe(`a ${'*'.repeat(written.length)} z`)
    }
  }))

it('masks a secret, whichever encoder has written it', ({ everyRow }) =>
  everyRow(
    [
      ['JSON.stringify', JSON.stringify(key).slice(1, -1)],
      ['JSON, with an escaped slash', JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
      ['encodeURIComponent', encodeURIComponent(key)],
      ['encodeURI', encodeURI(key)],
      ['URLSearchParams', `${new URLSearchParams({ '': key })}`.slice(1)],
      [
        'quote of Python',
        encodeURIComponent(key)
          .replaceAll('%2F', '/')
          .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
      ],
      ['escape of Python', html(key, { "'": '&#x27;' })],
      ['escape of PHP', html(key, { "'": '&#039;' })],
      [
        'names of HTML',
        html(key, {
          '/': '&sol;',
          '+': '&plus;',
          '=': '&equals;',
          "'": '&apos;',
          '{': '&lcub;',
          '`': '&grave;',
        }),
      ],
      ['names without an end', html(key, {}).replace(/&(amp|lt|gt|quot);/g, '&$1')],
    ],
    (_, written) => {
      expect(masked(`a ${written} z`, secretForms(key))).toBe(`a ${'*'.repeat(written.length)} z`)
    },
  ))

function html(text: string, more: Readonly<Record<string, string>>): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', ...more }
  return text.replace(/[^a-z0-9]/gi, (sign) => names[sign] ?? sign)
}

it('masks a secret of which each character is escaped in another way, however it is cut', async () => {
  // A number without an end is another number before a digit.
  const clear = Object.entries(escapes).filter(([name]) => !/^&.*[^;]$/.test(name))
  const anyEscape = fc.array(fc.nat(clear.length - 1), { minLength: 80, maxLength: 80 })
  // Where something is escaped, so are the signs of escapes: the first two ways are none.
  const write = (sign: string, way: number) =>
    clear[/[\\%&]/.test(sign) ? Math.max(way, 2) : way]?.[1](sign.charCodeAt(0), sign)
  const anyCut = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 })
  const noise = fc.constantFrom(
    ' ',
    '\n',
    '\\',
    '&',
    '%',
    '&#',
    '\\u00',
    '&#x0',
    '%2',
    '&amp;',
    '\xe9',
    'wJal',
  )
  await fc.assert(
    fc.asyncProperty(
      ...([fc.constantFrom(...secretForms(key)), anyEscape, anyCut, noise, noise] as const),
      async (form, ways, cuts, before, behind) => {
        const written = [...form].map((sign, at) => write(sign, ways[at % ways.length] ?? 0)).join('')
        const output = await through(cut(`${before} ${written}|${behind}`, cuts), secretForms(key))
        expect(output).toBe(`${before} ${'*'.repeat(written.length)}|${behind}`)
      },
    ),
    { seed: 1 },
  )
})

function cut(text: string, sizes: readonly number[]): string[] {
  const parts: string[] = []
  let rest = text
  for (const size of sizes) {
    parts.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return [...parts, rest]
}

it('leaves text alone that only looks like the beginning of a secret or of an escape', async () => {
  const parts = [
    'wJalr/',
    '\\u0077Ja',
    '%77%4',
    '&#119;J&',
    '\\',
    '&#0000000000119;',
    '%',
    '&nosuchname;',
    '\\u{77',
  ]
  for (const text of [...parts, parts.join(''), parts.join(' ')])
    expect(await through([...text], secretForms(key))).toBe(text)
})

it('masks the same however what comes is cut, and keeps its length', async () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'B', 'b', '\xe9', '*', '%', '6', '1', '&', '#', ';'),
    maxLength: 12,
  })
  const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'B'), minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters),
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      async (chunks, texts) => {
        const whole = chunks.join('')
        const output = await through(chunks, texts)
        expect(output).toBe(masked(whole, texts))
        expect(output).toHaveLength(whole.length)
        for (const text of texts) expect(output.toLowerCase()).not.toContain(text.toLowerCase())
      },
    ),
  )
})

/** How much of a stream has arrived after each chunk, and what. */
function arrivals(chunks: readonly string[], texts: HashedTexts) {
  const stream = new MaskStream(texts)
  const parts = chunks.map((chunk) => {
    stream.write(Buffer.from(chunk, 'latin1'))
    return stream.read()?.toString('latin1') ?? ''
  })
  return { lengths: parts.map(({ length }) => length), text: parts.join('') }
}

it('passes on what no secret has at once: words, lines and events', () => {
  const chunks = ['data: one\n\n', 'data: sec', 'ond\n', '\n', 'no-end', '\xc3\xa9']
  expect(arrivals(chunks, new HashedTexts(secretForms(key))).lengths).toEqual([11, 6, 7, 1, 0, 8])
})

it('passes on what a secret could begin with when more has come than the longest form of a secret', () => {
  const texts = new HashedTexts(secretForms(key))
  const longest = 12 * texts.longest
  expect(arrivals(['x'.repeat(longest), 'yz', ' '], texts).lengths).toEqual([0, 2, longest + 1])
})

/** A character of the same kind. */
function otherThan(sign: string): string {
  if (/[0-9a-z]/i.test(sign)) return String.fromCharCode(sign.charCodeAt(0) ^ 1)
  return sign === '_' ? '-' : '_'
}

/** Two secrets of the same length, without a character in common. */
const twoSecrets = [key, [...key].map(otherThan).join('')].map((value) => new HashedTexts(secretForms(value)))

it('shows no part of a guess: for two secrets, the same arrives at the same time', ({ everyRow }) => {
  const [texts, other] = twoSecrets as [HashedTexts, HashedTexts]
  return everyRow(['themselves', '\\u002f', '%2f', '&#00000047;'], (name) => {
    const write = (sign: string) => escapes[name]?.(sign.charCodeAt(0), sign) ?? ''
    for (const form of secretForms(key))
      for (let count = 1; count < form.length; count += 3) {
        const before = [...form.slice(0, count)].map(write).join('')
        const guesses = [form[count] ?? '', otherThan(form[count] ?? '')]
        const [right, wrong] = guesses.map((sign) => ['data: ', before, write(sign), '!', ' ', '\n'])
        const seen = arrivals(right ?? [], texts)
        expect(seen.lengths).toEqual(arrivals(wrong ?? [], texts).lengths)
        expect(seen.lengths).toEqual(arrivals(right ?? [], other).lengths)
      }
  })
})

it('shows no part of a guess, however it is cut and repeated', () => {
  const form = fc.constantFrom(...secretForms(key))
  const piece = fc.oneof(
    fc.tuple(form, fc.nat(100), fc.nat(100)).map(([text, from, to]) => text.slice(from, to)),
    fc.constantFrom(' ', '\n', '\\', '%', '&', '\\u00', '&#', '%7', '&amp;', '\xe9', 'x'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (chunks) => {
      const [lengths, others] = twoSecrets.map((texts) => arrivals(chunks, texts).lengths)
      expect(lengths).toEqual(others)
    }),
  )
})

it.each([0, 1, 2, 3, 4, 5])('finds a secret in base64 behind %s other bytes', (before) => {
  const value = 'tok_0123456789/+abcdef'
  const coded = Buffer.from(`${'x'.repeat(before)}${value}yz`).toString('base64')
  const left = masked(coded, secretForms(value)).replaceAll('*', '')
  // What shares a character with other bytes, and those.
  expect(left.length).toBeLessThanOrEqual(Math.ceil((before * 4) / 3) + 6)
})
