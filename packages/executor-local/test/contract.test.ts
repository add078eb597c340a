import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

describeExecutor(
  { describe: describe.concurrent, it },
  {
    name: 'local',
    create: (options) => new LocalCommandLineCodeExecutor(options),
    missingLanguages: python.missing ? ['python'] : [],
  },
)
