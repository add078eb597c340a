import { describeExecutor } from '@fenced/contract'
import { longTests } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

describe.skipIf(python.missing || longTests.missing)('warm', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'local with a runner',
      create: (options) => new LocalCommandLineCodeExecutor({ ...options, warm: true }),
      faultLanguages: ['python'],
    },
  )
})
