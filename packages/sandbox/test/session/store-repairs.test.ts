// @module-tag all

import { describe, expect, test } from 'vitest'
import { python } from '../python.ts'
import { runChanged, runPart } from './parts.ts'
import { keeping, restoring, type StoreRepair } from './store-rows.ts'

const argumentsOf = ({ program, isUnprivileged }: StoreRepair) => [
  program,
  ...(isUnprivileged === true ? ['unprivileged'] : []),
]

describe.skipIf(process.platform !== 'linux' || python.missing)('the store of files', () => {
  const repairs = [...keeping, ...restoring]

  test.each(repairs)('$name', async (repair) => {
    expect((await runPart('rows.py', ...argumentsOf(repair))).trim()).toBe(repair.shown)
  })

  test.each(repairs)('without the repair: $name', { tags: ['nightly'] }, async (repair) => {
    const { off, wrong } = repair
    const shown = await runChanged(off, 'rows.py', argumentsOf(repair)).catch(String)
    expect(shown.trim()).toEqual(typeof wrong === 'string' ? wrong : expect.stringMatching(wrong))
  })
})
