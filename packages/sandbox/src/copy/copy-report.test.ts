import { expect, test } from 'vitest'
import { SkippedEntries } from './copy-report.ts'

/** The names that each copy reports, of what it finds as `name version`. */
function reported(copies: readonly (readonly string[])[], isComplete = true): string[][] {
  const skipped = new SkippedEntries()
  return copies.map((found) => {
    skipped.begin()
    for (const each of found) {
      const [name = '', version = ''] = each.split(' ')
      skipped.add({ name, why: 'is a symbolic link' }, version)
    }
    return skipped.report(isComplete).skipped.map(({ name }) => name)
  })
}

test('a skipped entry is reported when it is made, changed or made again', ({ everyRow }) =>
  everyRow<[copies: string[][], names: string[][]]>(
    [
      [
        [['a 1'], ['a 1']],
        [['a'], []],
      ],
      [
        [['a 1'], ['a 2'], ['a 2']],
        [['a'], ['a'], []],
      ],
      [
        [['a 1'], [], ['a 1']],
        [['a'], [], ['a']],
      ],
      [
        [['a 1'], ['a 1', 'b 1']],
        [['a'], ['b']],
      ],
      // Two names that are not UTF-8 can look the same.
      [
        [['a 1'], ['a 1', 'a 1'], ['a 1', 'a 1']],
        [['a'], ['a'], []],
      ],
    ],
    (copies, names) => {
      expect(reported(copies)).toEqual(names)
    },
  ))

test('an entry that an incomplete copy did not reach is not reported again', () => {
  expect(reported([['a 1', 'b 1'], ['a 1'], ['a 1', 'b 1']], false)).toEqual([['a', 'b'], [], []])
})

test('a copy that failed before its report has reported nothing', () => {
  const skipped = new SkippedEntries()
  const add = () => {
    skipped.begin()
    skipped.add({ name: 'a', why: 'is a symbolic link' }, '')
  }
  add()
  add()
  expect(skipped.report(true)).toEqual({
    skipped: [{ name: 'a', why: 'is a symbolic link' }],
    skippedCount: 1,
    complete: true,
  })
})
