import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutTerminalSequences } from './terminal-sequences.ts'

test.each([
  ['colors', '\x1b[31mred\x1b[0m and \x1b[1;38;5;208mbold\x1b[m', 'red and bold'],
  ['colors with colons', '\x1b[38:2::255:0:0mred\x1b[0m', 'red'],
  ['the cursor', 'a\x1b[2K\x1b[1A\x1b[?25lb', 'ab'],
  ['eight bits', '\x9b31mred\x9b0m', 'red'],
  ['a link', '\x1b]8;;https://a.example\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['a title', '\x1b]0;title\x07text', 'text'],
  ['a string without an end', '\x1b]0;title\ntext', '0;title\ntext'],
  ['a charset', '\x1b(Btext\x1b=\x1b7', 'text'],
  ['a cut sequence', 'text\x1b[', 'text'],
  ['an escape alone', 'text\x1b\nmore', 'text\nmore'],
  ['plain text', 'a[31m\tb\n[0m', 'a[31m\tb\n[0m'],
])('%s', (_, text, left) => {
  expect(withoutTerminalSequences(text)).toBe(left)
})

test('no text has an escape left, and a text without one is unchanged', () => {
  const pieces = fc.constantFrom(
    '\x1b',
    '\x9b',
    '\x9d',
    '\x07',
    '[',
    ']',
    '3',
    ';',
    'm',
    '\\',
    ' ',
    'é',
    '\n',
    'P',
    '(',
  )
  const texts = fc.array(pieces, { maxLength: 20 }).map((all) => all.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const left = withoutTerminalSequences(text)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are the subject of this test.
      const escapes = /[\x1b\x80-\x9f]/
      expect(left).not.toMatch(escapes)
      if (!escapes.test(text)) expect(left).toBe(text)
    }),
  )
})

test('a megabyte of unfinished sequences takes no longer than its length', () => {
  for (const piece of ['\x1b]', '\x1b[', '\x1bP0', '\x9d']) withoutTerminalSequences(piece.repeat(500_000))
})
