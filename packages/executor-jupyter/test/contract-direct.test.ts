import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { directExecutor, jupyter } from './support.ts'

describe.skipIf(jupyter.missing)('the contract, with a kernel of our own', () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, direct',
      create: (options) => directExecutor(options),
    },
  )
})
