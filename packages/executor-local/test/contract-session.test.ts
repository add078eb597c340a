// @module-tag all

import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const limits = resourceLimits.missing ? {} : { memoryBytes: 2_147_483_648, pids: 256 }

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(process.platform !== 'linux' || python.missing).each([
  ['a local process', { isolation: 'none' }],
  ['bubblewrap', { isolation: 'bubblewrap', ...limits }],
] as const)('a session in %s', rows, (place, where) => {
  describe.skipIf(where.isolation === 'bubblewrap' && bubblewrap.missing)('', () => {
    describeExecutor(
      { describe: describe.concurrent, it },
      {
        name: `local with a session in ${place}`,
        create: (options) => new LocalCommandLineCodeExecutor({ ...options, ...where, stateful: true }),
        faultLanguages: ['python'],
      },
    )
  })
})
