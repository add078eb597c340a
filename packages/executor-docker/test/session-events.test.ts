// @module-tag nightly

import { join } from 'node:path'
import { SandboxPool } from '@fenced/sandbox'
import { describeSessionEvents } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { EngineProxy } from './faults/engine-proxy.ts'
import { docker } from './requirements.ts'

const own = { image: 'fenced-test/python', memoryBytes: 200 * 2 ** 20 } as const

const create = (options: DockerExecutorOptions = {}) =>
  new DockerCommandLineCodeExecutor({ ...own, ...options, stateful: true })

async function connect() {
  const proxy = await EngineProxy.start()
  return {
    executor: create({ docker: proxy.tcpAddress, killGraceMs: 500 }),
    cut: () => proxy.breakAll('reset'),
    silence: () => proxy.breakAll('silence', true),
    [Symbol.asyncDispose]: async () => proxy[Symbol.dispose](),
  }
}

describe.skipIf(docker.missing)('events', () => {
  describeSessionEvents({ describe, expect, it, vi }, 'a container', {
    create,
    createListed: () => create({ network: { allowedHosts: ['example.org'] } }),
    connect,
    createPool: () => new SandboxPool({ create: () => create(), size: 0, max: 1 }),
    host: [join(import.meta.dirname, 'programs/host-with-session.ts'), JSON.stringify(own)],
    outcomes: {
      'the end of another program': 'kept',
      'changed packages': 'kept',
      'a file left in /tmp': 'kept',
      'late output of a thread': 'kept',
      'the idle time of a resident Python': 'kept',
      'an out-of-memory kill': 'state-restored',
      'little memory, where the kernel would end Python with its checkpoints': 'kept',
      // Its container has the directory that was mounted at its start, and is replaced.
      'a recreated working directory': 'state-lost',
      // Its container is replaced, because processes of the block may still run in it.
      'a killed resident Python': 'state-lost',
      'the idle time of its container': 'state-lost',
      'a changed umask of the host': 'kept',
      'changed limits of the host': 'kept',
      // It has another user.
      'a killed network helper': 'kept',
      'changed priority and limits of its keeper': 'kept',
      'a cut connection': 'state-lost',
      'a silent connection in a cell': 'state-lost',
      'a silent connection between cells': {
        cannot: 'A connection to an engine on this machine is not forgotten; see the pod.',
      },
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
