// @module-tag all

import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const limits = resourceLimits.missing ? {} : { memoryBytes: 2_147_483_648, pids: 256 }

describe.skipIf(bubblewrap.missing).each([
  ['cold', false],
  ['warm', true],
])('bubblewrap, %s', rowTags({ nightly: [{ except: [': results'] }] }), (how, warm) => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: `local in bubblewrap, ${how}`,
      create: (options) =>
        new LocalCommandLineCodeExecutor({ ...options, ...limits, warm, isolation: 'bubblewrap' }),
      missingLanguages: python.missing ? ['python'] : [],
      ...(warm ? { faultLanguages: ['python'] } : {}),
    },
  )
})
