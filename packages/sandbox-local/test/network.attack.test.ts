import { describeNetwork } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'
import { runAsCell } from './run-as-cell.ts'

const rows = rowTags({ nightly: [{ in: 'a session in', except: ['refused before anything resolves it'] }] })

const except = {
  'a connection ends with its program': 'the connections of earlier cells end with the session, too',
}

describe.skipIf(bubblewrap.missing || python.missing).each([
  ['bubblewrap', undefined],
  ['a session in bubblewrap', runAsCell],
])('isolated: %s', rows, (name, run) => {
  describeNetwork(
    { describe, it },
    {
      ...{ name, run, except: run === undefined ? {} : except },
      create: (network, lookup) =>
        new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, network }, { lookup }),
    },
  )
})
