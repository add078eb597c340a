// @module-tag all

import { rowTags } from '@fenced/testing'
import { describe } from 'vitest'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe('the first example of an executor', rows, async () => {
  await import('./node-executor.contract.ts')
})
