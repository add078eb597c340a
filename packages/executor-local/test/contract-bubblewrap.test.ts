import { describeExecutor } from '@fenced/core/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

describe.skipIf(bubblewrap.missing)('bubblewrap', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'local in bubblewrap',
      create: (options) => new LocalCommandLineCodeExecutor({ ...options, isolation: 'bubblewrap' }),
      missingLanguages: python.missing ? ['python'] : [],
    },
  )
})
