import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { directExecutor, jupyter } from './support.ts'

const rows = rowTags({
  all: [': thirteen faults', ': events', ': cancelling and waiting', ': output'],
  nightly: [
    '3 GB of memory',
    'a reader that does not read on',
    { in: ': output > ', except: ['values named'] },
    { in: ': cancelling and waiting > ', except: ['a signal ends'] },
  ],
})

describe.skipIf(jupyter.missing)('the contract, with a kernel of our own', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, direct',
      create: (options) => directExecutor(options),
    },
  )
})
