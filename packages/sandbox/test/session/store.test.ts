import { describe, expect, it } from 'vitest'
import { python } from '../python.ts'
import { runPart } from './parts.ts'

describe.skipIf(python.missing)('the store of files', () => {
  it('restores directories after random edits, renames, links and removals', async () => {
    expect(await runPart('store.py', '0', '12')).toBe('')
  })

  it('restores 300 directories', { tags: ['nightly'] }, async () => {
    expect(await runPart('store.py', '1000', '300')).toBe('')
  })
})
