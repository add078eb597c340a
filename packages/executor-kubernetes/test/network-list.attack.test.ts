import { describeNetwork } from '@fenced/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { KubernetesSandbox } from '../src/index.ts'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { image, nodes, ownCluster, testCluster } from './requirements.ts'

const namespace = ownCluster.missing ? undefined : await TestNamespace.create()
await namespace?.close()

const listed = { mode: 'custom', allowedHosts: ['api.test'] } as const

describe.skipIf(ownCluster.missing)('a pod', () => {
  afterAll(() => namespace?.remove())

  describeNetwork(
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
    },
  )

  it('whose network is a list is not used where the cluster lets something out beside it', async () => {
    const executor = executorIn(namespace?.name, { network: listed, pod: { nodeSelector: nodes.open } })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'NETWORK_NOT_CLOSED',
      message: expect.stringMatching(/a pod reached/),
    })
  })

  it('says with each result which hosts its list names', async () => {
    const executor = executorIn(namespace?.name, { network: listed })
    expect(executor.capabilities.isolationParticulars).toMatchObject({
      network: true,
      allowedHosts: 'api.test',
    })
  })
})
