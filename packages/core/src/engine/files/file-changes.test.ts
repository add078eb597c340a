import { expect, it } from 'vitest'
import type { FileListing } from '../../work-directory/work-directory.ts'
import { notListed, unlistedChanges } from './file-changes.ts'

const listing = (unlisted?: Record<string, string>) =>
  Object.assign(new Map(), {
    unlisted: unlisted && new Map(Object.entries(unlisted)),
  }) as unknown as FileListing

it('unlisted files count where they are new or have another version', () => {
  const before = listing({ same: '1', other: '1', removed: '1' })
  expect(unlistedChanges(before, listing({ same: '1', other: '2', added: '1' }))).toEqual(['other', 'added'])
  expect(unlistedChanges(listing(), listing({ added: '1' }))).toEqual(['added'])
  expect(unlistedChanges(before, listing())).toEqual([])
})

it('a notice names three unlisted files, and the number of the others', () => {
  const few = notListed(['a', 'b', 'c'])
  expect(few.data).toEqual({ path: 'a, b, c', count: '3' })
  expect(few.message).not.toContain('more.')
  const many = notListed(['a', 'b', 'c', 'd', 'e'])
  expect(many.data).toEqual({ path: 'a, b, c', count: '5' })
  expect(many.message).toContain('"c", and 2 more.')
})
