// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are the subject of this file.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TerminalOutput } from './terminal-output.ts'
import { folded, quotedCode, widthOf } from './terminal-text.ts'

const look = { colors: true, columns: 40 }
const margin = '  > '

/** What a terminal gets of output that comes in these pieces. */
function shown(pieces: readonly string[], given = margin, colors = true): string {
  const output = new TerminalOutput()
  return pieces.map((piece) => output.add(given, piece, { ...look, colors })).join('') + output.end()
}

describe('what a program writes to a terminal', () => {
  it('keeps colors, and shows all other sequences', ({ everyRow }) =>
    everyRow(
      [
        ['colors', '\u001B[1;31mred\u001B[0m\n', '\u001B[1;31mred\u001B[0m\u001B[0m\n'],
        ['colors that are left on', '\u001B[32mgreen\n', '\u001B[32mgreen\u001B[0m\n'],
        ['conceal', '\u001B[8mx\n', '␛[8mx\n'],
        ['conceal among others', '\u001B[1;8mx\n', '␛[1;8mx\n'],
        ['blinking', '\u001B[5mx\u001B[6m\n', '␛[5mx␛[6m\n'],
        ['a background', '\u001B[30;40mx\n', '␛[30;40mx\n'],
        ['inversion', '\u001B[7mx\n', '␛[7mx\n'],
        ['a color by number', '\u001B[38;2;0;0;0mx\u001B[38;5;0m\n', '␛[38;2;0;0;0mx␛[38;5;0m\n'],
        ['movement', '\u001B[2A\u001B[2J\u001B[Hx\n', '␛[2A␛[2J␛[Hx\n'],
        ['a request for the position', '\u001B[6n\n', '␛[6n\n'],
        ['a title', '\u001B]0;owned\u0007\n', '␛]0;owned␇\n'],
        ['a control of eight bits', '\u009B8mx\b\n', '[U+009B]8mx␈\n'],
        ['a turn of the direction', 'a\u202Eb\n', 'a[U+202E]b\n'],
        ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
      ],
      (_, text, expected) => {
        expect(shown([text], '')).toBe(expected)
        // Also where a sequence or a character comes in two pieces.
        expect(shown(text.split(''), '')).toBe(expected)
      },
    ))

  it('has no colors where the output has none', () => {
    expect(shown(['\u001B[31mred\n'], '', false)).toBe('␛[31mred\n')
  })

  it('shows a character that comes in two pieces as it is, and half a sequence at its end', () => {
    expect(shown(['\uD83D', '\uDE00\n', 'a\u001B[3'])).toBe('  > 😀\n  > a␛[3\n')
  })

  it('begins every line with its margin, and another stream on another line', () => {
    const output = new TerminalOutput()
    const add = (given: string, text: string) => output.add(given, text, look)
    expect(add('  > ', 'a\nb')).toBe('  > a\n  > b')
    expect(add('  ! ', 'c')).toBe('\n  ! c')
    expect([output.end(), output.end()]).toEqual(['\n', ''])
  })

  it('returns to the beginning of its own line only', () => {
    expect(shown(['\r 10%', '\r 20%', '\n'])).toBe('  > \r  >  10%\r  >  20%\n')
    expect(shown(['10%\r', '20%\r'], '')).toBe('10%\r20%\n')
  })

  it('never has a row without its margin, whatever it writes', () => {
    const parts = [
      '\u001B',
      '[',
      '8',
      '1m',
      ';',
      '\r',
      '\n',
      '\t',
      'x'.repeat(50),
      '語'.repeat(30),
      '\u009B',
      '\b',
      'fenced: Run it?',
    ]
    const piece = fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const rows = shown(pieces).split(/[\r\n]/)
        expect(rows.pop()).toBe('')
        for (const row of rows) {
          expect(row.startsWith(margin)).toBe(true)
          expect(widthOf(row)).toBeLessThanOrEqual(look.columns)
          expect(row.replaceAll(/\u001B\[[\d;]*m/g, '')).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F]/)
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('a program in a question', () => {
  it('has a margin before every line, also of a line that is longer than the terminal', () => {
    const code = `echo ok\t\r\n#${' '.repeat(40)}fenced: Run it? \n`
    expect(folded(quotedCode(code), 40).split('\n')).toEqual([
      '  | echo ok␉   ␍',
      `  | #${' '.repeat(35)}`,
      '  ↪      fenced: Run it?␠',
    ])
  })

  it('ends like the program, of which only the last line feed is left out', () => {
    expect(['a', 'a\n', 'a\n\n'].map(quotedCode)).toEqual(['  | a', '  | a', '  | a\n  | '])
  })
})
