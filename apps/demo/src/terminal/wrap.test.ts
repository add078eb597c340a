import { expect, test } from 'vitest'
import { wrap } from './wrap.ts'

test('lines are broken between words', () => {
  expect(wrap('one two three four', 10)).toBe('one two\nthree\nfour')
})

test('what goes on keeps the indentation, that of a list too', () => {
  expect(wrap('  - one two three', 12)).toBe('  - one two\n    three')
})

test('a word that is too long has a line of its own', () => {
  expect(wrap('a /very/long/path b', 10)).toBe('a\n/very/long/path\nb')
})

test('lines stay lines', () => {
  expect(wrap('one\n\ntwo', 10)).toBe('one\n\ntwo')
})
