import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

const family = '👩‍👩‍👧‍👦'

test.each([
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
])('%j within %i is %j', (text, maxLength, expected) => {
  expect(shortened(text, maxLength)).toBe(expected)
})

test('a letter with a tower of accents is divided between two code points', () => {
  const tower = `e${'\u{1D165}'.repeat(1_000)}`
  expect(shortened(tower, 500)).toBe(`${tower.slice(0, 499)}…`)
})

test('the beginning is well-formed, and as long as it may be but for one character', () => {
  const text = `a${family}é😀🇩🇪 e\u0301${family}`.repeat(3)
  for (let maxLength = 0; maxLength < text.length; maxLength++) {
    const kept = shortened(text, maxLength).slice(0, -1)
    expect([text.startsWith(kept), kept.isWellFormed()]).toEqual([true, true])
    expect(kept.length).toBeLessThanOrEqual(maxLength)
    expect(kept.length).toBeGreaterThan(maxLength - family.length)
  }
})
