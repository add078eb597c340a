import { describeSandbox } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { KubernetesSandbox } from '../src/index.ts'
import { TestNamespace } from './namespace.ts'
import { image, kubernetes, testCluster } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

const rows = rowTags({ nightly: ['many processes run beside', 'a megabyte that is pasted'] })

describe.skipIf(kubernetes.missing)('the contract of a sandbox', rows, () => {
  afterAll(() => namespace?.remove())

  describeSandbox(
    { describe, it },
    {
      name: 'kubernetes',
      create: () =>
        new KubernetesSandbox({
          cluster: testCluster,
          namespace: namespace?.name,
          network: 'open',
          // Fifty processes beside each other have some two hundred.
          pids: 1_024,
          pod: { image, imagePullPolicy: 'IfNotPresent', resources: { limits: { cpu: '4' } } },
        }),
      processesAtOnce: 50,
    },
  )
})
