import { describeSecrets } from '@fenced/contract'
import { SandboxAuthority } from '@fenced/sandbox/internal'
import { describe, it } from 'vitest'
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
