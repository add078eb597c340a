import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

const rows = rowTags({
  all: ['3 GB of memory'],
  nightly: ['thirteen faults (sh)', 'thirteen faults (javascript)'],
})

describeExecutor(
  { describe: (name, body) => describe.concurrent(name, rows, body), it },
  {
    name: 'local',
    create: (options) => new LocalCommandLineCodeExecutor(options),
    missingLanguages: python.missing ? ['python'] : [],
  },
)
