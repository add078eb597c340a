import { describeNetwork } from '@fenced/contract'
import { describe, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

describe.skipIf(bubblewrap.missing || python.missing)('isolated', () => {
  describeNetwork(
    { describe, it },
    {
      name: 'bubblewrap',
      create: (network, lookup) =>
        new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, network }, { lookup }),
    },
  )
})
