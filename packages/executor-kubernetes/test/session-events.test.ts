// @module-tag nightly

import { join } from 'node:path'
import { SandboxPool } from '@fenced/sandbox'
import { describeSessionEvents } from '@fenced/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { KubernetesExecutorOptions } from '../src/index.ts'
import { Between } from './cut-connection.ts'
import { executorIn } from './executor-of.ts'
import { kubeconfigWith } from './kubeconfig.ts'
import { TestNamespace } from './namespace.ts'
import { image, nodes, ownCluster, testCluster } from './requirements.ts'

const namespace = ownCluster.missing ? undefined : await TestNamespace.create()
await namespace?.close()

const resources = { limits: { memory: '200Mi' } }

const create = (options: KubernetesExecutorOptions = {}) =>
  executorIn(namespace?.name, { ...options, stateful: true, pod: { resources, ...options.pod } })

async function connect() {
  const between = await Between.open()
  const cluster = { kubeconfig: kubeconfigWith({ server: between.address }) }
  return {
    executor: create({ cluster, killGraceMs: 500 }),
    cut: () => between.cut(),
    silence: () => {
      between.silence()
      between.speak()
    },
    [Symbol.asyncDispose]: () => between[Symbol.asyncDispose](),
  }
}

const hostOptions = {
  cluster: testCluster,
  namespace: namespace?.name,
  network: 'open',
  pod: { image, imagePullPolicy: 'IfNotPresent' },
}

describe.skipIf(ownCluster.missing)('events', () => {
  afterAll(() => namespace?.remove())

  describeSessionEvents({ describe, expect, it, vi }, 'a pod', {
    create,
    createListed: () =>
      create({ network: { allowedHosts: ['example.org'] }, pod: { nodeSelector: nodes.closed } }),
    connect,
    createPool: () => new SandboxPool({ create: () => create(), size: 0, max: 1 }),
    host: [join(import.meta.dirname, 'programs/host-with-session.ts'), JSON.stringify(hostOptions)],
    outcomes: {
      'the end of another program': 'kept',
      'changed packages': 'kept',
      'a file left in /tmp': 'kept',
      'late output of a thread': 'kept',
      'the idle time of a resident Python': 'kept',
      'an out-of-memory kill': 'state-restored',
      'little memory, where the kernel would end Python with its checkpoints': 'kept',
      // The pod has a copy of the directory.
      'a recreated working directory': 'kept',
      // Its pod is replaced, because processes of the block may still run in it.
      'a killed resident Python': 'state-lost',
      'the idle time of its container': 'state-lost',
      'a changed umask of the host': 'kept',
      'changed limits of the host': 'kept',
      // The next block gets another helper.
      'a killed network helper': 'kept',
      'changed priority and limits of its keeper': 'kept',
      'a cut connection': 'state-lost',
      'a silent connection in a cell': 'state-lost',
      'a silent connection between cells': 'state-lost',
      'a pool that needs the place': 'sandbox-replaced',
      'a restart': 'ended',
      'a result larger than a frame': 'kept',
      'kill -9 -1 by another program': 'state-lost',
      'a killed keeper': 'state-lost',
      'a stopped keeper': 'state-kept',
      'a killed running copy': 'state-restored',
      'killed checkpoints': 'kept',
      'a killed host': 'ended',
    },
  })
})
