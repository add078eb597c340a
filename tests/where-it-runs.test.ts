import { expect, it } from 'vitest'
import { page, writtenPage } from './installed/where-page.ts'

it('docs/where-it-runs.md has the table of the tests', () => {
  expect(writtenPage()).toBe(page())
})
