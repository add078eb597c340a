import { describe, expect, it, test } from 'vitest'
import { python } from '../python.ts'
import { runChanged, runPart } from './parts.ts'
import { repairs, rows, type ValueRow } from './value-rows.ts'

interface Carried {
  readonly lost: readonly string[]
  readonly printed: readonly string[]
}

const programsOf = (rows: readonly ValueRow[]) =>
  JSON.stringify(rows.map(({ first, second }) => [first, second]))

describe.skipIf(python.missing)('variables by value', () => {
  it('a new Python has them, and the names of the others', async () => {
    const all = [...rows, ...repairs]
    const carried: readonly Carried[] = JSON.parse(await runPart('reload.py', programsOf(all)))
    const named = carried.map((each, index) => ({ name: all[index]?.name, ...each }))
    expect(named).toEqual(all.map(({ name, printed, lost = [] }) => ({ name, lost, printed })))
  })

  test.each(repairs)('are wrong without what is for $name', { tags: ['nightly'] }, async (repair) => {
    const carried = runChanged(repair.off, 'reload.py', [programsOf([repair])])
    if (repair.wrong instanceof RegExp) return expect(await carried.catch(String)).toMatch(repair.wrong)
    expect(JSON.parse(await carried)).toEqual([{ lost: [], ...repair.wrong }])
  })
})
