import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatDuration,
  shortened,
  visible,
  visibleCode,
  visibleJson,
  visibleName,
} from './text.ts'

/** The hidden characters of Unicode 17, from its data files: ranges of code points, in hex. */
const hiddenRanges =
  '0-8 B-1F 7F-9F AD 34F 600-605 61C 6DD 70F 890-891 8E2 115F-1160 17B4-17B5 180B-180F 200B-200F 2028-202E 2060-206F 2800 ' +
  '3164 D800-DFFF FDD0-FDEF FE00-FE0F FEFF FFA0 FFF0-FFFC FFFE-FFFF 110BD 110CD 13430-1343F 13441-13442 16FE4 1BCA0-1BCA3 ' +
  '1D159 1D173-1D17A 1FFFE-1FFFF 2FFFE-2FFFF 3FFFE-3FFFF 4FFFE-4FFFF 5FFFE-5FFFF 6FFFE-6FFFF 7FFFE-7FFFF 8FFFE-8FFFF ' +
  '9FFFE-9FFFF AFFFE-AFFFF BFFFE-BFFFF CFFFE-CFFFF DFFFE-E0FFF EFFFE-EFFFF FFFFE-FFFFF 10FFFE-10FFFF'
const spaces = '9-A A0 1680 2000-200A 202F 205F 3000'

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [1_340, '1.3 s'],
  [9_949, '9.9 s'],
  [9_949.9, '9.9 s'],
  [9_999, '10 s'],
  [59_499, '59 s'],
  [59_600, '1 min 0 s'],
  [179_600, '3 min 0 s'],
  [185_000, '3 min 5 s'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it.each([
  [812, '812 bytes'],
  [1_240, '1.2 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [3_400_000, '3.4 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

describe('every code point of Unicode', () => {
  it('is shown as an escape in a text where it is hidden, and as it is elsewhere', () => {
    expect(rangesWhere((character) => visible(character) !== character)).toEqual(hiddenRanges.split(' '))
  })

  it('is shown as an escape in a name also where it is a space but U+0020', () => {
    const inNames = rangesWhere((character) => visibleName(character) !== character)
    expect(inNames).toEqual(merged(`${hiddenRanges} ${spaces}`))
  })

  it('is itself again after a parser has read its JSON, in which nothing is hidden', () => {
    // With a letter between them, so that no two halves make a pair.
    const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).join('a')
    const json = visibleJson([all])
    expect(visible(json) === json).toBe(true)
    expect(JSON.parse(json)[0] === all).toBe(true)
  })
})

describe('a text for a person', () => {
  it('shows hidden characters as escapes', ({ everyRow }) =>
    everyRow(
      [
        ['a zero width space', 'a\u200Bb', 'a[U+200B]b'],
        ['a joiner in a name', 'a\u200Db', 'a[U+200D]b'],
        ['a soft hyphen', 'a\u00ADb', 'a[U+00AD]b'],
        ['Hangul fillers', 'a\u3164\u115F\u1160\uFFA0', 'a[U+3164][U+115F][U+1160][U+FFA0]'],
        ['other line breaks', 'a\u2028b\u2029c', 'a[U+2028]b[U+2029]c'],
        ['marks of a direction', 'a\u200F\u061Cb', 'a[U+200F][U+061C]b'],
        ['a byte order mark', '\uFEFFa', '[U+FEFF]a'],
        ['tags', 'a\u{E0041}\u{E007F}', 'a[U+E0041][U+E007F]'],
        ['selectors behind no emoji', 'a\uFE0F\u{E0100}', 'a[U+FE0F][U+E0100]'],
        ['a joiner behind a selector of no emoji', 'a\uFE0F\u200D😀', 'a[U+FE0F][U+200D]😀'],
        ['a second selector behind an emoji', '❤\uFE0F\uFE0F', '❤\uFE0F[U+FE0F]'],
        ['a joiner at the end of an emoji', '😀\u200D', '😀[U+200D]'],
        ['an empty Braille pattern', 'a\u2800b', 'a[U+2800]b'],
        ['a turn of the direction', 'a\u202Eb', 'a[U+202E]b'],
        ['half a surrogate pair', 'a\uD800b', 'a[U+D800]b'],
        ['an escape, a delete and a control of eight bits', 'a\u001B[2J\u007F\u009B', 'a␛[2J␡[U+009B]'],
        ['a return to the beginning of the line', 'a\rb\r\nc', 'a␍b\nc'],
      ],
      (_, text, shown) => {
        expect(visible(text)).toBe(shown)
        expect(visible(shown)).toBe(shown)
      },
    ))

  it.each(['tab\tand\nbreaks\n', 'é 日本 한국어 العربية हिन्दी un\u00A0mot', '😀 ❤️ 👩🏽‍🚀 👨‍👩‍👧 🏳️‍🌈 1️⃣'])(
    'leaves %j as it is',
    (text) => {
      expect(visible(text)).toBe(text)
    },
  )
})

describe('a program in a question', () => {
  it('shows everything that a language may act on', ({ everyRow }) =>
    everyRow(
      [
        ['a return before a line feed', 'mode=dry-run\r\n', 'mode=dry-run␍\n'],
        ['a return', 'rm -r x\rls', 'rm -r x␍ls'],
        ['a tab, and spaces', 'a:\n\tb\n    c', 'a:\n␉   b\n    c'],
        ['spaces at the end of a line', 'cat <<E\nE \nE  ', 'cat <<E\nE␠\nE␠␠'],
        ['an empty line with spaces', 'a\n  \nb', 'a\n␠␠\nb'],
        ['a tab at the end of a line', 'a \t \n', 'a ␉   ␠\n'],
        ['a space that separates no words', 'rm\u00A0-r\u3000x', 'rm[U+00A0]-r[U+3000]x'],
        ['the symbols of escapes', '␍␉␠␛', '[U+240D][U+2409][U+2420][U+241B]'],
        ['the text of an escape', '[U+202E]\u202E', '[U+005B]U+202E][U+202E]'],
        ['a turn of the direction', 'a\u202Eb\u200B', 'a[U+202E]b[U+200B]'],
      ],
      (_, code, shown) => {
        expect(visibleCode(code)).toBe(shown)
      },
    ))

  it('can be read back: different programs never look the same', () => {
    const parts = [
      'a',
      ' ',
      '\t',
      '\r',
      '\n',
      '[',
      'U+',
      'U+240D]',
      '␍',
      '␉',
      '␠',
      '\u00A0',
      '\u200D',
      '😀',
      '\uFE0F',
      '1',
    ]
    const program = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' })))
    fc.assert(
      fc.property(program, (pieces) => {
        const code = pieces.join('')
        const shown = visibleCode(code)
        expect(readBack(shown)).toBe(code)
        expect(visible(shown)).toBe(shown)
        expect(shown.replaceAll('␉   ', '␉')).not.toMatch(/[\t\r]| $/m)
      }),
    )
  })

  it('takes no longer for a long row of spaces', () => {
    expect(visibleCode(`${' '.repeat(1_000_000)}a`)).toHaveLength(1_000_001)
  })
})

/** The program that was shown. */
function readBack(shown: string): string {
  return shown.replaceAll(/\[U\+([0-9A-F]+)\]|␉ {3}|[\u2400-\u2421]/gu, (mark, hex?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    const code = mark.charCodeAt(0) - 0x2400
    return String.fromCharCode(code === 0x21 ? 0x7f : code)
  })
}

it('shows the breaks and spaces of a name that would make another line, or look like another name', () => {
  expect(visibleName('a b\u00A0c\nd\te\r\n\u200B')).toBe('a b[U+00A0]c␊d␉e␍␊[U+200B]')
})

it('writes JSON over several lines', () => {
  expect(visibleJson({ a: ['\u202E\u{E0041}'] }, 1)).toBe('{\n "a": [\n  "\\u202e\\udb40\\udc41"\n ]\n}')
})

/** The code points for which a test holds, as ranges in hex. */
function rangesWhere(test: (character: string) => boolean): string[] {
  const found: [number, number][] = []
  for (let code = 0; code <= 0x10_ffff; code++) {
    if (!test(String.fromCodePoint(code))) continue
    const last = found.at(-1)
    if (last?.[1] === code - 1) last[1] = code
    else found.push([code, code])
  }
  return found.map(written)
}

/** Ranges in their order, with those that touch as one. */
function merged(ranges: string): string[] {
  const all = ranges
    .split(' ')
    .map((range) => range.split('-').map((code) => Number.parseInt(code, 16)))
    .map(([from = 0, to = from]): [number, number] => [from, to])
    .sort(([a], [b]) => a - b)
  const kept: [number, number][] = []
  for (const [from, to] of all) {
    const last = kept.at(-1)
    if (last !== undefined && last[1] >= from - 1) last[1] = Math.max(last[1], to)
    else kept.push([from, to])
  }
  return kept.map(written)
}

function written([from, to]: readonly [number, number]): string {
  const hex = (code: number) => code.toString(16).toUpperCase()
  return from === to ? hex(from) : `${hex(from)}-${hex(to)}`
}

const family = '👩‍👩‍👧‍👦'

it.each([
  ['short', 5, 'short'],
  ['longer', 5, 'longe…'],
  ['ab😀', 3, 'ab…'],
  [`a${family}b`, 6, 'a…'],
  [`a${family}b`, 1 + family.length, `a${family}…`],
  ['🇩🇪🇫🇷', 6, '🇩🇪…'],
  ['e\u0301e\u0301', 3, 'e\u0301…'],
  ['a\r\nb', 2, 'a…'],
  ['', 0, ''],
  ['a', 0, '…'],
])('shortened: %j within %i is %j', (text, maxLength, expected) => {
  expect(shortened(text, maxLength)).toBe(expected)
})

it('shortened: a letter with a tower of accents is divided between two code points', () => {
  const tower = `e${'\u{1D165}'.repeat(1_000)}`
  expect(shortened(tower, 500)).toBe(`${tower.slice(0, 499)}…`)
})

it('shortened: the beginning is well-formed, and as long as it may be but for one character', () => {
  const text = `a${family}é😀🇩🇪 e\u0301${family}`.repeat(3)
  for (let maxLength = 0; maxLength < text.length; maxLength++) {
    const kept = shortened(text, maxLength).slice(0, -1)
    expect([text.startsWith(kept), kept.isWellFormed()]).toEqual([true, true])
    expect(kept.length).toBeLessThanOrEqual(maxLength)
    expect(kept.length).toBeGreaterThan(maxLength - family.length)
  }
})
