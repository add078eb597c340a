import { expect, it } from 'vitest'
// @boundaries-ignore a script of CI
import { readQuarantine } from '../.ci/quarantine.mjs'

const row = (until: string) => ({ test: 'a.test.ts > a', reason: 'The engine answers late.', until })

it('lets a test of the quarantine list fail until its day', () => {
  expect(readQuarantine([row('2026-05-01')], '2026-05-01').problems).toEqual([])
  expect(readQuarantine([row('2026-05-01')], '2026-05-02').problems).toHaveLength(1)
  expect(readQuarantine([{ test: 'a', reason: '' }], '2026-05-02').problems).toHaveLength(1)
})

it('allows five rows', () => {
  const rows = Array.from({ length: 6 }, () => row('2026-05-01'))
  expect(readQuarantine(rows.slice(1), '2026-05-01').problems).toEqual([])
  expect(readQuarantine(rows, '2026-05-01').problems).toHaveLength(1)
})
