import { describeSecrets } from '@fenced/contract'
import { SandboxAuthority } from '@fenced/sandbox/internal'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
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
