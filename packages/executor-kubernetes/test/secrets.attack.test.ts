import { describeSecrets } from '@fenced/core/testing'
import { SandboxAuthority } from '@fenced/sandbox/internal'
import { afterAll, describe, it } from 'vitest'
import { KubernetesSandbox } from '../src/index.ts'
import { TestNamespace } from './namespace.ts'
import { image, nodes, ownCluster, testCluster } from './requirements.ts'

const [authority, impostor] = await Promise.all([SandboxAuthority.create(), SandboxAuthority.create()])
const namespace = ownCluster.missing ? undefined : await TestNamespace.create()
await namespace?.close()

describe.skipIf(ownCluster.missing)('a pod', () => {
  afterAll(() => namespace?.remove())

  describeSecrets(
    { describe, it },
    {
      name: 'kubernetes',
      create: (network, lookup) =>
        new KubernetesSandbox(
          {
            cluster: testCluster,
            namespace: namespace?.name,
            pod: { image, imagePullPolicy: 'IfNotPresent', nodeSelector: nodes.closed },
            network,
          },
          { lookup },
        ),
      ...{ authority, impostor },
    },
  )
})
