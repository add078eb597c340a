import { expect, it } from 'vitest'
import { formatDuration } from '../page/src/format.ts'

it.each([
  [0, '0.0 s'],
  [9_949, '9.9 s'],
  [9_999, '10 s'],
  [59_499, '59 s'],
  [59_600, '1 min 0 s'],
  [179_600, '3 min 0 s'],
  [185_000, '3 min 5 s'],
])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
