import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MaskStream, masked } from './mask-stream.ts'
import { secretForms } from './secret-forms.ts'

async function through(chunks: readonly string[], texts: readonly string[]): Promise<string> {
  const stream = new MaskStream(texts)
  for (const chunk of chunks) stream.write(Buffer.from(chunk, 'latin1'))
  stream.end()
  return (await buffer(stream)).toString('latin1')
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
  const anyEscape = fc.array(fc.constantFrom(...clear.map(([, write]) => write)), {
    minLength: 80,
    maxLength: 80,
  })
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
        const written = [...form]
          .map((sign, at) => ways[at % ways.length]?.(sign.charCodeAt(0), sign))
          .join('')
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

it('holds nothing back that cannot be a secret: an event is passed on when it comes', async () => {
  const stream = new MaskStream(['secret-value'])
  stream.write('data: one\n\n')
  expect(stream.read()?.toString()).toBe('data: one\n\n')
  stream.write('data: sec')
  expect(stream.read()?.toString()).toBe('data: ')
  stream.write('ond\n\n')
  expect(stream.read()?.toString()).toBe('second\n\n')
})

it.each([0, 1, 2, 3, 4, 5])('finds a secret in base64 behind %s other bytes', (before) => {
  const value = 'tok_0123456789/+abcdef'
  const coded = Buffer.from(`${'x'.repeat(before)}${value}yz`).toString('base64')
  const left = masked(coded, secretForms(value)).replaceAll('*', '')
  // What shares a character with other bytes, and those.
  expect(left.length).toBeLessThanOrEqual(Math.ceil((before * 4) / 3) + 6)
})
