import { describeSecrets } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { createListedPod } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { ownCluster } from './requirements.ts'

const [authority, impostor] = await Promise.all([SandboxAuthority.create(), SandboxAuthority.create()])
const namespace = ownCluster.missing ? undefined : await TestNamespace.create()
await namespace?.close()

describe.skipIf(ownCluster.missing)('a pod', rowTags({ nightly: [': secrets'] }), () => {
  afterAll(() => namespace?.remove())

  describeSecrets(
    { describe, it },
    {
      name: 'kubernetes',
      create: createListedPod(namespace?.name),
      ...{ authority, impostor },
    },
  )
})
