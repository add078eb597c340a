import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedText } from './bounded-text.ts'

const gap = /\n\[\.\.\. (\d+) of (\d+) characters left out \.\.\.\]\n/

test.each<[text: string, maxLength: number, bounded: string]>([
  ['', 0, ''],
  ['abc', 3, 'abc'],
  ['abcdef', 3, 'ab\n[... 3 of 6 characters left out ...]\nf'],
  ['abcdef', 0, '\n[... 6 of 6 characters left out ...]\n'],
])('%j within %i is %j', (text, maxLength, bounded) => {
  expect(boundedText(text, { maxLength })).toBe(bounded)
})

test('what was left out before is said', () => {
  expect(boundedText('abcdef', { maxLength: 2, bytesLeftOut: 10 })).toBe(
    'a\n[... 4 of 6 characters left out, and 10 bytes that were left out before ...]\nf',
  )
})

test('it is a beginning and an end, whole characters, and the count is right', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.nat(60), (text, maxLength) => {
      const [head = '', leftOut, all, tail = ''] = boundedText(text, { maxLength }).split(gap)
      if (text.length <= maxLength) return head === text && leftOut === undefined
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
      expect(head.length + tail.length).toBeLessThanOrEqual(maxLength + 1)
      expect([leftOut, all].map(Number)).toEqual([text.length - head.length - tail.length, text.length])
      return true
    }),
  )
})
