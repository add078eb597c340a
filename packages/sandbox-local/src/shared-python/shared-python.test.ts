import { expect, it } from 'vitest'
import { EarlyEnds } from './shared-python.ts'

it('an end is that of the process that answers next, and of no later one with the same number', () => {
  const ends = new EarlyEnds()
  ends.add(7, 1, 0)
  expect([ends.take(7, 10_000), ends.take(7, 10_000)]).toEqual([1, undefined])
  ends.add(8, 2, 20_000)
  expect(ends.take(8, 30_001)).toBe(undefined)
})
