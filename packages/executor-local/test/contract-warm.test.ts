// @module-tag all

import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(python.missing)('warm', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'local with a runner',
      create: (options) => new LocalCommandLineCodeExecutor({ ...options, warm: {} }),
      faultLanguages: ['python'],
    },
  )
})
