import { describeExecutor, longTests } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const limits = resourceLimits.missing ? {} : { memoryBytes: 2_147_483_648, pids: 256 }

describe.skipIf(bubblewrap.missing || longTests.missing)('bubblewrap', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'local in bubblewrap',
      create: (options) =>
        new LocalCommandLineCodeExecutor({ ...options, ...limits, isolation: 'bubblewrap' }),
      missingLanguages: python.missing ? ['python'] : [],
    },
  )
})
