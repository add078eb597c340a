import { describeSecrets } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'
import { runAsCell } from './run-as-cell.ts'

const [authority, impostor] = await Promise.all([SandboxAuthority.create(), SandboxAuthority.create()])

const rows = rowTags({ nightly: ['a session in'] })

describe.skipIf(bubblewrap.missing || python.missing).each([
  ['bubblewrap', undefined],
  ['a session in bubblewrap', runAsCell],
])('isolated: %s', rows, (name, run) => {
  describeSecrets(
    { describe, it },
    {
      ...{ name, run },
      create: (network, lookup) =>
        new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, network }, { lookup }),
      ...{ authority, impostor },
    },
  )
})
