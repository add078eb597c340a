import { describeSecrets } from '@fenced/contract'
import { describe, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const [authority, impostor] = await Promise.all([SandboxAuthority.create(), SandboxAuthority.create()])

describe.skipIf(bubblewrap.missing || python.missing)('isolated', () => {
  describeSecrets(
    { describe, it },
    {
      name: 'bubblewrap',
      create: (network, lookup) =>
        new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, network }, { lookup }),
      ...{ authority, impostor },
    },
  )
})
